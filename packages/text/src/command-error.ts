/** A command cannot be carried out as it was given. The message is for the person at the command line. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
