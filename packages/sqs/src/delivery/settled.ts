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
