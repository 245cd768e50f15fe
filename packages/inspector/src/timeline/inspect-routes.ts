/** The paths of the inspector and of the timeline, which is a part of it. */
import {
  type AppContext,
  DEVELOPMENT,
  ORIGIN_VARIABLE,
  type Route,
} from '../../../../src/internal.ts'

const PATHS = ['/inspect', '/inspect/*']

/** @param subject as warnings name it */
export function inspectRoutes(
  subject: string,
  { origins, report }: Pick<AppContext, 'origins' | 'report'>,
  serve: Route['handle'],
): readonly Route[] {
  let isReported = false
  const handle: Route['handle'] = (request, env, ctx) => {
    // The developer sees the reason in the console. The response says nothing of it.
    if (!isReported && origins.isUndeclared(request, env)) {
      isReported = true
      report({
        type: 'definition-warning',
        subject,
        message: `it is closed, because the host of a request does not show that this server is one of development. On your computer, start it with: wrangler dev --var ${ORIGIN_VARIABLE}:${DEVELOPMENT}`,
      })
    }
    return serve(request, env, ctx)
  }
  return PATHS.map((path) => ({ path, handle, givesWay: true }))
}
