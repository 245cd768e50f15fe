/** The settings of a definition that apply to its runs. */

export interface RunOptions {
  /** Undefined: the limit `handlerTimeoutMs` applies. */
  readonly timeoutMs: number | undefined
  readonly singleUse: boolean
  /** Whether the handler may call `ctx.file`. */
  readonly files: boolean
}
