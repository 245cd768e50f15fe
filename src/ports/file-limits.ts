/** The limits of files, which are options of `files()`. */

export const DEFAULT_FILE_LIMITS = {
  /**
   * Maximum size of one file of `ctx.file` and `ctx.upload`, in bytes; without the bucket `MCP_FILES` at
   * most 32 MiB. Default 256 MiB.
   */
  bytes: 256 * 1024 * 1024,
  /** Longest lifetime of a file, in milliseconds; at most 89 days. Default 30 days. */
  ttlMs: 30 * 24 * 60 * 60 * 1000,
  /** Files of one principal at the same time; those of anonymous callers are counted by network. Default 1000. */
  perPrincipal: 1000,
  /** Maximum size of all files of one principal, in bytes; without a bucket at most 256 MiB. Default 1 GiB. */
  bytesPerPrincipal: 1024 * 1024 * 1024,
}

export type FileLimits = Readonly<typeof DEFAULT_FILE_LIMITS>
