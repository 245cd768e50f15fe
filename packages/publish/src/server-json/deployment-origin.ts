/** The origin of a deployment, from the command line or the configuration. */

import { matchesPath, routesOf } from '../../../doctor/src/config/checks/routes.ts'
import type { DescribedApp } from '../../../doctor/src/config/inspector.ts'
import type { WranglerConfig } from '../../../doctor/src/config/wrangler.ts'
import { isPrivateHost } from '../../../doctor/src/doctor/http/addresses.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { quoted } from '../../../text/src/quoted.ts'

const VARIABLE = 'EDGEWAY_ORIGIN'

/**
 * In this order: the command line, the options of `auth`, the variable, and a route without a wildcard in its host.
 *
 * @param path of the first remote
 * @throws {CommandError} for an origin that is not public, and for none
 */
export function deploymentOrigin(
  given: string | undefined,
  { auth }: Pick<DescribedApp, 'auth'>,
  config: WranglerConfig,
  path: string,
): string {
  if (given !== undefined) return checked(given, '--origin')
  const [option] = auth?.origins ?? []
  if (option !== undefined) return checked(option, 'The origin of auth')
  const variable = config.vars[VARIABLE]
  const [first = ''] = typeof variable === 'string' ? variable.trim().split(/[\s,]+/) : []
  if (first !== '') return checked(first, VARIABLE)
  const route = routesOf(config).find(
    (each) => !each.host.includes('*') && matchesPath(each, path.replace(/\{[^}]*\}/g, 'x')),
  )
  if (route !== undefined) return checked(`https://${route.host}`, 'The route')
  throw new CommandError(
    `The configuration does not say the origin of the deployment. Set ${VARIABLE} in its vars, name the environment that has it by --env, or pass --origin https://mcp.example.com`,
  )
}

function checked(origin: string, subject: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  if (url !== undefined && url.origin === origin.replace(/\/$/, '')) {
    if (url.protocol === 'https:' && !isPrivateHost(url)) return url.origin
  }
  throw new CommandError(
    `${subject} is ${quoted(origin)}. The registry lists servers with a public origin, such as https://mcp.example.com`,
  )
}
