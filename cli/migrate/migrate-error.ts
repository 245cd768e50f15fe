/** The project cannot be moved, and nothing was written. The message is for the person at the command line. */
export class MigrateError extends Error {
  override readonly name = 'MigrateError'
}
