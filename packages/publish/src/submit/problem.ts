/** Why a directory would refuse a submission, beside the rules of `packages/publish/src/directories`. */
export interface Problem {
  readonly code: string
  readonly message: string
  /** What to write. */
  readonly fix: string
}
