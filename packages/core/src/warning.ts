/** Something that was put right on the way, and that somebody should know. Nothing was lost. */
export interface Warning {
  /** The literal that tells this warning from the others, such as `dropped_key`. */
  readonly code: string;
  readonly message: string;
  /** Where in the envelope, as a JSON pointer. */
  readonly pointer?: string | undefined;
  /** The header or attribute it is about. */
  readonly header?: string | undefined;
}

interface WithProcess {
  readonly process?: {
    emitWarning?(message: string, options: { type: string; code: string }): void;
  };
}

/**
 * The last resort when no hook listens: a process warning (`process.on("warning")`), where there is
 * a process.
 */
export function emitProcessWarning({ code, message }: Warning): void {
  const { process } = globalThis as WithProcess;
  process?.emitWarning?.(message, { type: "BabelQueueWarning", code });
}
