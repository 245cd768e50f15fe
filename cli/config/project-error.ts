/** The project cannot be examined. The message is for the person at the command line. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}
