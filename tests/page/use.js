// Uses a page as a reader does, with mouse, wheel and keys, and writes mistakes into an element `used`. tests/page appends it to a page
// that has at least two workers, a task with a neighbour in the graph, and something on the critical path.
addEventListener('load', () => setTimeout(() => {
  const wrong = [], frame = () => new Promise(done => { draw(); setTimeout(done, 20); });
  const must = (what, holds) => { if (!holds) wrong.push(what); };
  const mouse = (type, x, y, more) => {
    const r = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new (type == 'wheel' ? WheelEvent : PointerEvent)(type, {clientX: r.left + x, clientY: r.top + y, bubbles: true, cancelable: true, pointerId: 1, ...more}));
  };
  const press = (k, at = document.body) => at.dispatchEvent(new KeyboardEvent('keydown', {key: k, bubbles: true, cancelable: true}));
  const near = (a, b) => Math.abs(a - b) <= 1e-6 * (t1 - t0) + 1e-3;
  const painted = () => canvas.toDataURL();
  canvas.setPointerCapture = () => {};                                   // a pointer that no mouse has cannot be captured
  (async () => {
    must('begins with everything', from == t0 && to == t1 && begin.length > 0);
    const middle = Math.round((LEFT + width) / 2);
    let a = from, b = to, t = T(middle);
    mouse('wheel', middle, TOP + 5, {deltaY: -300});
    must('the wheel zooms in', to - from < (b - a) / 2);
    must('at the pointer', near(T(middle), t));
    const zoomed = painted();
    await frame();
    must('and that is drawn', painted() != zoomed);
    [a, b] = [from, to];
    mouse('pointerdown', middle, TOP + 5, {buttons: 1});
    mouse('pointermove', middle + 100, TOP + 5, {buttons: 1});
    mouse('pointerup', middle + 100, TOP + 5, {});
    must('dragging pans', near(to - from, b - a) && from < a);
    mouse('wheel', middle, TOP + 5, {deltaY: 100, shiftKey: true});
    must('the wheel with shift pans', near(to - from, b - a));
    [a, b] = [from, to];
    press('d');
    must('D pans', from > a && near(to - from, b - a));
    press('ArrowLeft');
    must('and back', near(from, a));
    press('w');
    must('W zooms in', to - from < b - a);
    press('S');
    must('S zooms out', near(to - from, b - a));
    press('f');
    must('F shows everything', near(from, t0) && near(to, t1));

    const g = path.segments.filter(g => g.slice >= 0)[0];
    must('there is a critical path', !!g);
    const i = g.slice;
    select(i, true);
    press('z');
    must('Z shows what is selected', from <= begin[i] && to >= end[i] && to - from < 4 * (end[i] - begin[i]) + 100);
    const x = X((begin[i] + end[i]) / 2), y = yOf(i) + highOf(i) / 2;
    select(-1, false);
    mouse('pointermove', x, y, {});
    must('hovering tells the name', !$('tip').hidden && $('tip').textContent.startsWith(title(nameOf[i])));
    mouse('pointerdown', x, y, {buttons: 1});
    mouse('pointerup', x, y, {});
    must('a click selects', selected == i || begin[selected] >= begin[i] && end[selected] <= end[i]);
    must('and shows facts', $('facts').textContent.includes('took'));
    select(i, true);
    await frame();
    const boxes = [...$('graph').querySelectorAll('g')];
    must('the graph has neighbours', boxes.length > 1);
    const before = selected;
    for (const box of boxes) { dragged = false; box.dispatchEvent(new MouseEvent('click', {bubbles: true})); if (selected != before) break; }
    must('a click in the graph selects another one', selected != before && selected >= 0);

    const button = k => $('names').querySelectorAll('th button')[k], column = k => [...$('names').querySelectorAll('tbody tr')].map(r => r.children[k].textContent);
    button(1).click();
    const counts = column(1).map(s => +s.replace(/\D/g, ''));
    must('the table is sorted by count', counts.every((v, k) => !k || counts[k - 1] >= v));
    button(0).click();
    must('and by name', column(0).every((v, k, all) => !k || all[k - 1] <= v));
    button(0).click();
    must('and the other way', column(0).every((v, k, all) => !k || all[k - 1] >= v));

    const name = order[0].name;
    press('/');
    must('/ goes to the search', document.activeElement == $('find'));
    $('find').value = name;
    $('find').dispatchEvent(new Event('input'));
    must('the search counts', $('found').textContent.includes('task'));
    select(-1, false);
    press('Enter', $('find'));
    must('Enter goes to the first one', selected >= 0 && title(nameOf[selected]).includes(name));
    const one = selected;
    press('Enter', $('find'));
    must('and to the next one', order[0].count < 2 || selected != one && begin[selected] >= begin[one]);
    press('Escape', $('find'));
    must('Escape ends it', $('find').value == '' && $('found').textContent == '');
    press('f');
    await frame();
    const withPath = painted();
    press('c');
    await frame();
    must('C hides the critical path', painted() != withPath);
    must('no errors', errors.length == 0);
    document.body.append(element('pre', {id: 'used'}, wrong.length ? 'wrong: ' + wrong.join('; ') + '; ' + errors.join() : 'all is well'));
  })();
}, 200));
