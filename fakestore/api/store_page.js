// Filters the groups of rows by a text. A click on a key filters by that key.
const filter = document.getElementById("filter");
const groups = [...document.querySelectorAll("tbody")].map((group) => [group, group.textContent.toLowerCase()]);

function apply() {
  const wanted = filter.value.trim().toLowerCase();
  for (const [group, text] of groups) group.hidden = !text.includes(wanted);
}

document.body.classList.add("scripted");
filter.parentElement.hidden = false;
filter.addEventListener("input", apply);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link === null && !event.target.matches(".key")) return;
  filter.value = link === null ? event.target.textContent : ""; // the target of a link may be hidden
  apply();
});
apply();
