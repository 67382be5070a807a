/** @typedef {import("./telemetry.mjs").Span} Span */

/**
 * The spans of a trace as lines, each below its parent, in the order of their starts.
 *
 * @param {readonly Span[]} spans
 */
export function treeOf(spans) {
  const lines = below(undefined, spans, "");
  const width = Math.max(...lines.map(({ title }) => title.length)) + 3;
  return lines.map(({ title, span: { service, durationMs, error } }) => {
    const columns = title.padEnd(width) + service + `${durationMs.toFixed(1)} ms`.padStart(11);
    return error === undefined ? columns : `${columns}   ✗ ${error}`;
  });
}

/**
 * @param {string | undefined} parentId
 * @param {readonly Span[]} spans
 * @param {string} indent
 * @returns {{ title: string, span: Span }[]}
 */
function below(parentId, spans, indent) {
  const children = spans
    .filter((span) => span.parentId === parentId)
    .sort((a, b) => a.startMs - b.startMs);
  return children.flatMap((span, index) => {
    const isLast = index === children.length - 1;
    const branch = parentId === undefined ? "" : isLast ? "└─ " : "├─ ";
    const indentBelow = parentId === undefined ? "" : isLast ? "   " : "│  ";
    return [
      { title: indent + branch + span.name, span },
      ...below(span.spanId, spans, indent + indentBelow),
    ];
  });
}
