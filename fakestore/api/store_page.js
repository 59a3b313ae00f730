// Filters the groups of rows by a text, and the exchanges by whether they failed. A click on a key filters by that key.
const filter = document.getElementById("filter");
const failures = document.getElementById("failures");
const groups = [...document.querySelectorAll("tbody")].map((group) => ({
  group,
  text: group.textContent.toLowerCase(),
  hasFailed: group.closest(".exchanges") === null || group.querySelector(".failed") !== null,
}));
const sections = [...document.querySelectorAll("section:has(tbody)")];

function apply() {
  const wanted = filter.value.trim().toLowerCase();
  for (const { group, text, hasFailed } of groups) {
    group.hidden = !text.includes(wanted) || (failures.checked && !hasFailed);
  }
  for (const section of sections) section.hidden = section.querySelector("tbody:not([hidden])") === null;
}

document.body.classList.add("scripted");
filter.form.hidden = false;
filter.form.addEventListener("submit", (event) => event.preventDefault());
filter.form.addEventListener("input", apply);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link === null && !event.target.matches(".key")) return;
  filter.value = link === null ? event.target.textContent : ""; // the target of a link may be hidden
  failures.checked = false;
  apply();
});
apply();
