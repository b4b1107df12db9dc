/* The search of the site: `index` has rows [page and anchor, title, first words]. ?q=WORDS in the address begins one. */
(function () {
    var input = document.getElementById("search"), list = document.getElementById("found");
    var root = input.getAttribute("data-root");
    /* 0: not found; larger is better: the title itself, its beginning, in it, in the text */
    function rank(row, words) {
        var title = row[1].toLowerCase(), text = row[2].toLowerCase(), sum = 0;
        for (var i = 0; i < words.length; i++) {
            var w = words[i];
            var names = title.split(/[ ,]+/);
            var r = names.indexOf(w) >= 0 ? (title === w ? 9 : 8) : title.indexOf(w) === 0 ? 5 :
                title.indexOf(w) > 0 ? 3 : text.indexOf(w) >= 0 ? 1 : 0;
            if (!r) return 0;
            sum += r;
        }
        return sum + (row[0].indexOf("docs/reference/") === 0 ? 0.5 : 0) + (row[1].indexOf(input.value) >= 0 ? 0.25 : 0);
    }
    function search() {
        var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), hits = [];
        list.textContent = "";
        if (!words.length) return;
        index.forEach(function (row) {
            var r = rank(row, words);
            if (r) hits.push([r, row]);
        });
        hits.sort(function (a, b) { return b[0] - a[0]; });
        hits.slice(0, 20).forEach(function (hit) {
            var item = document.createElement("li"), link = document.createElement("a");
            link.href = root + hit[1][0];
            link.textContent = hit[1][1];
            link.title = hit[1][0];
            item.appendChild(link);
            list.appendChild(item);
        });
    }
    input.addEventListener("input", search);
    var asked = new URLSearchParams(location.search).get("q");
    if (asked) {
        input.value = asked;
        search();
    }
})();
