// Copies the address of the page, as the browser knows it, with the query of the moment.
const SHOWN = 1500; // milliseconds

export default function (component) {
  const { data, parentElement } = component;
  const button = parentElement.querySelector(".copy");
  button.textContent = data.label;
  button.onclick = async () => {
    const text = `${location.origin}${location.pathname}?${data.query}`;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      inField(text); // without https there is no clipboard
    }
    button.textContent = data.done;
    setTimeout(() => (button.textContent = data.label), SHOWN);
  };
}

function inField(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
