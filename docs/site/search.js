// Search in pages that are opened as files: browsers do not let a page read other files then, so the index is a script.
(function () {
  if (location.protocol !== 'file:' || !window.kaneSearchIndex) return;
  window.addEventListener('load', function () {
    var word = new URLSearchParams(location.search).get('q');
    var place = document.getElementById('mkdocs-search-results');
    if (!place || !word) return;
    var wanted = word.toLowerCase().split(/\s+/);
    var found = window.kaneSearchIndex.docs.filter(function (d) {
      var text = (d.title + ' ' + d.text).toLowerCase();
      return wanted.every(function (w) { return text.indexOf(w) >= 0; });
    }).sort(function (a, b) {
      var hit = function (d) { return d.title.toLowerCase().indexOf(wanted[0]) >= 0 ? 0 : 1; };
      return hit(a) - hit(b);
    }).slice(0, 40);
    place.textContent = found.length ? '' : 'Nothing found';
    found.forEach(function (d) {
      var article = document.createElement('article'), link = document.createElement('a'), text = document.createElement('p');
      link.href = d.location;
      link.textContent = d.title;
      var at = Math.max(0, d.text.toLowerCase().indexOf(wanted[0]) - 60);
      text.textContent = d.text.slice(at, at + 200);
      article.append(link, text);
      place.append(article);
    });
  });
})();
