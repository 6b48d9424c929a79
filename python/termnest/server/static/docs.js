// Shows openapi.json: each route with its parameters, and the shape of its answer.

/** An element; strings among the children become text, never HTML. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** The values that a schema allows, in a few words. */
function kind(schema, components) {
  if (schema.$ref) return kind(components[schema.$ref.split("/").pop()], components);
  if (schema.anyOf) return schema.anyOf.map((one) => kind(one, components)).join(" or ");
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.const !== undefined) return String(schema.const);
  if (schema.type === "array") return `list of: ${kind(schema.items ?? {}, components)}`;
  const { type = "anything", minimum, maximum, maxLength } = schema;
  const shown = (number) => number.toLocaleString("en");
  if (maxLength !== undefined) return `${type}, at most ${shown(maxLength)} characters`;
  if (minimum === undefined) return type;
  // 2^53 is not a limit that anyone meets.
  const hasLimit = maximum !== undefined && maximum < 2 ** 53;
  return hasLimit ? `${type}, ${shown(minimum)} to ${shown(maximum)}` : `${type}, at least ${shown(minimum)}`;
}

/** The shape of an answer: JSON with types in the place of values. */
function shape(schema, components) {
  if (schema.$ref) return shape(components[schema.$ref.split("/").pop()], components);
  if (schema.type === "array") {
    const item = shape(schema.items ?? {}, components);
    return schema.maxItems === 2 ? [item, item] : [item];
  }
  if (!schema.properties) return kind(schema, components);
  const fields = Object.entries(schema.properties);
  return Object.fromEntries(fields.map(([name, field]) => [name, shape(field, components)]));
}

/** A table of parameters, the required ones first. */
function parameterTable(parameters, components) {
  const table = element("table");
  const head = ["parameter", "values", "default", "description"].map((text) => element("th", text));
  table.append(element("thead", element("tr", ...head)));
  const requiredFirst = parameters.toSorted((a, b) => Boolean(b.required) - Boolean(a.required));
  const rows = requiredFirst.map(({ name, required, schema, description }) => {
    const byDefault = required ? "required" : schema.default === undefined ? "" : String(schema.default);
    const about = description ?? schema.description ?? "";
    return element("tr", element("td", element("code", name)),
      element("td", kind(schema, components)), element("td", byDefault), element("td", about));
  });
  table.append(element("tbody", ...rows));
  const scroll = element("div", table);
  scroll.className = "scroll";
  return scroll;
}

/** The section of a route. */
function route(path, method, operation, components) {
  const section = element("section",
    element("h2", element("code", `${method.toUpperCase()} ${path}`)),
    element("p", operation.summary ?? ""));
  let parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body) {
    const model = components[body.$ref.split("/").pop()];
    parameters = Object.entries(model.properties).map(([name, schema]) => (
      { name, schema, required: model.required?.includes(name) }));
    section.append(element("p", "The body is a JSON object:"));
  }
  if (parameters.length) section.append(parameterTable(parameters, components));
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  if (answer && Object.keys(answer).length) {
    section.append(element("p", "The answer:"), element("pre", JSON.stringify(shape(answer, components), null, 2)));
  }
  return section;
}

const about = document.getElementById("about");
try {
  const description = await (await fetch("openapi.json")).json();
  const components = description.components?.schemas ?? {};
  const link = element("a", "openapi.json");
  link.href = "openapi.json";
  about.replaceChildren(`${description.info.description} Version ${description.info.version}. `,
    "Programs can read the same description in ", link,
    ". Errors are answered as application/problem+json (RFC 9457).");
  const routes = document.getElementById("routes");
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      routes.append(route(path, method, operation, components));
    }
  }
} catch (error) {
  about.textContent = `The description could not be loaded: ${error.message}`;
}
