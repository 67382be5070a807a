import { Converter } from "typedoc";

/**
 * Names each module as it is imported, and lets comments link to what another package exports.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const modules = project.children ?? [];
    for (const module of modules) module.name = `@babelqueue/${module.name.replace("/src", "")}`;
    const exported = new Map(
      modules.flatMap(({ children = [] }) => children.map((each) => [each.name, each])),
    );
    for (const { comment } of Object.values(project.reflections)) {
      const tags = comment?.blockTags.flatMap(({ content }) => content) ?? [];
      for (const part of [...(comment?.summary ?? []), ...tags]) {
        if (part.kind !== "inline-tag" || part.tag !== "@link") continue;
        const target = exported.get(part.text);
        if (target !== undefined) part.target = target;
      }
    }
  });
}
