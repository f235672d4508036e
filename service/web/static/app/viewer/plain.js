// Changes Swagger UI by a plug-in: descriptions stay text, and the layout is this page's own.

/** @typedef {{React: any}} System */
/** @typedef {{getComponent: (name: string, container?: boolean) => any, specSelectors: {specJson: () => {size: number}, loadingStatus: () => string}}} Given */

/**
 * Renders a description: paragraphs and `code`. Swagger UI would create HTML, which the policy of this page forbids.
 * @param {unknown} _theirs @param {System} system
 */
const description = (_theirs, { React }) =>
  /** @param {{source?: unknown, className?: string}} told */
  function Description({ source, className }) {
    const paragraphs = String(source ?? "").trim().split(/\n\s*\n/);
    const inner = paragraphs.map((paragraph, place) =>
      React.createElement("p", { key: place }, paragraph.split("`").map((part, odd) => (odd % 2 ? React.createElement("code", { key: odd }, part) : part))),
    );
    return React.createElement("div", { className: `markdown ${className ?? ""}` }, inner);
  };

/** The layout, without Swagger UI's own title, servers and token dialog. @param {System} system */
const layout = ({ React }) =>
  /** @param {Given} given */
  function Plain({ getComponent, specSelectors }) {
    // Without this, Swagger UI reports that there are no operations until it has parsed the description.
    if (!specSelectors.specJson().size && !String(specSelectors.loadingStatus()).startsWith("failed")) {
      return React.createElement("p", { role: "status" }, "Loading the API description …");
    }
    const parts = ["errors", "SvgAssets", "FilterContainer", "operations", "Models"];
    return React.createElement("div", { className: "swagger-ui" }, parts.map((name) => React.createElement(getComponent(name, name !== "SvgAssets"), { key: name })));
  };

/**
 * An operation's path as text: it is inside a button, and screen readers cannot use a link in a button. Clicking the button sets
 * the address.
 * @param {any} Theirs @param {System} system
 */
const path = (Theirs, { React }) =>
  /** @param {{path: string, text: string}} told */
  function Path(told) {
    return told.path.includes("/") ? React.createElement("span", null, told.text) : React.createElement(Theirs, told);
  };

/** A text area for a body, which needs a label. @param {any} Theirs @param {System} system */
const body = (Theirs, { React }) =>
  /** @param {object} told */
  function Body(told) {
    return React.createElement(Theirs, { "aria-label": "Request body", ...told });
  };

const none = () => () => null;

/** @param {System} system */
export const plain = (system) => ({
  components: { Plain: layout(system) },
  wrapComponents: { Markdown: description, DeepLink: path, TextArea: body, authorizeOperationBtn: none },
});
