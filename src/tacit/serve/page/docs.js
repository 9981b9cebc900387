// Shows /openapi.json in words; everything is set as text, never as markup.

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A schema in few words, with the names of other schemas in place of their content.
 * @param {any} schema
 * @returns {string}
 */
function inWords(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(inWords).join(" or ");
  if (schema.enum) return schema.enum.map((/** @type {any} */ value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") {
    const items = schema.prefixItems ? schema.prefixItems.map(inWords).join(", ") : inWords(schema.items);
    return schema.prefixItems ? `[${items}]` : `list of ${items || "anything"}`;
  }
  if (schema.type === "object" && schema.additionalProperties) return `{name: ${inWords(schema.additionalProperties)}}`;
  if (schema.type === "null") return "null";
  const bounds = [];
  if (schema.minimum !== undefined) bounds.push(`from ${schema.minimum}`);
  if (schema.maximum !== undefined) bounds.push(`to ${schema.maximum}`);
  if (schema.maxLength !== undefined) bounds.push(`at most ${schema.maxLength} characters`);
  return [schema.format === "binary" ? "bytes" : schema.type || "anything", ...bounds].join(" ");
}

/**
 * @param {any} schema
 * @param {any} all
 * @returns {HTMLElement}
 */
function shape(schema, all) {
  const name = schema?.$ref?.split("/").pop();
  const found = name ? all[name] : schema;
  if (!found?.properties) return element("p", {}, element("code", {}, inWords(schema)));
  const lines = Object.entries(found.properties).map(([key, value]) => `  "${key}": ${inWords(value)}`);
  return element("pre", { tabindex: "0" }, `{\n${lines.join(",\n")}\n}`);
}

/**
 * @param {string} path
 * @param {string} method
 * @param {any} operation
 * @param {any} schemas
 * @returns {HTMLElement}
 */
function described(path, method, operation, schemas) {
  const kind = method === "get" ? "method" : "method change";
  const summary = element("summary", {}, element("span", { class: kind }, method.toUpperCase()), " ", element("code", {}, path));
  const body = element("div", {}, element("p", {}, operation.description || operation.summary || ""));
  if (operation.parameters?.length) {
    const rows = operation.parameters.map((/** @type {any} */ one) =>
      element(
        "tr",
        {},
        element("td", {}, element("code", {}, one.name), one.required ? " (needed)" : ""),
        element("td", {}, inWords(one.schema)),
        element("td", {}, one.description || ""),
      ),
    );
    body.append(element("table", {}, ...rows));
  }
  const sent = operation.requestBody?.content?.["application/json"]?.schema;
  if (sent) body.append(element("h4", {}, "Send"), shape(sent, schemas));
  for (const [status, answer] of Object.entries(operation.responses || {})) {
    const content = /** @type {any} */ (answer).content || {};
    const kindOfAnswer = Object.keys(content)[0];
    if (status.startsWith("2")) {
      body.append(element("h4", {}, `Answer ${status}`), shape(content[kindOfAnswer]?.schema, schemas));
    }
  }
  const errors = Object.keys(operation.responses || {}).filter((status) => !status.startsWith("2"));
  if (errors.length) body.append(element("p", {}, `Problems: ${errors.join(", ")}, as application/problem+json.`));
  return element("details", {}, summary, body);
}

/** @returns {Promise<void>} */
async function show() {
  const about = /** @type {HTMLElement} */ (document.getElementById("about"));
  const answer = await fetch("/openapi.json");
  if (!answer.ok) {
    about.textContent = "The description cannot be read.";
    return;
  }
  const api = await answer.json();
  about.textContent = `${api.info.description} Version ${api.info.version}. The description for programs is at /openapi.json.`;
  /** @type {Record<string, HTMLElement[]>} */
  const groups = {};
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(/** @type {any} */ (methods))) {
      const group = /** @type {any} */ (operation).tags?.[0] || "other";
      (groups[group] ??= []).push(described(path, method, operation, api.components?.schemas || {}));
    }
  }
  const contents = /** @type {HTMLElement} */ (document.getElementById("contents"));
  const operations = /** @type {HTMLElement} */ (document.getElementById("operations"));
  for (const [name, found] of Object.entries(groups)) {
    contents.append(element("a", { href: `#${name}` }, name), " ");
    operations.append(element("h2", { id: name }, name), ...found);
  }
}

show();
