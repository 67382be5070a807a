/** What settling a message came to. */
export type Settled =
  | {
      /** `repeated`: another delivery of it had been handled before. */
      readonly kind: "handled" | "dropped" | "deadLettered" | "repeated";
      /** Or else it comes back although its work is done. */
      readonly isDeleted: boolean;
    }
  | { readonly kind: "released"; readonly delaySeconds: number }
  /** It comes back when its visibility timeout lapses. */
  | { readonly kind: "left" };

/** What those behind an unfinished message of their group inherit: the same as the message itself. */
export type Inheritance =
  | { readonly kind: "release"; readonly delaySeconds: number }
  | { readonly kind: "leave" };

/** Null where the message is finished. */
export function inheritanceOf(settled: Settled): Inheritance | null {
  switch (settled.kind) {
    case "handled":
    case "dropped":
    case "deadLettered":
    case "repeated":
      return null;
    case "released":
      return { kind: "release", delaySeconds: settled.delaySeconds };
    case "left":
      return { kind: "leave" };
  }
}
