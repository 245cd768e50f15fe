/** Checks the options of `embedded()` that need no environment. `embedded-servers.ts` uses them. */
import { createRedirectPolicy } from './clients/redirect-policy.ts'
import { createStaticClients } from './clients/static-clients.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import type { AuthFeatures } from './feature/install-auth-features.ts'
import { LOGIN_PARTS } from './login/login.ts'
import { createAdmission } from './people/admission.ts'
import type { Resources } from './resource/resources.ts'
import { createScopesOfResource, createScopeTable } from './resource/scopes.ts'
import type { AuthHooks } from './server/hooks.ts'

const HOOKS = ['onIssue', 'onRefresh'] as const satisfies (keyof AuthHooks)[]
const LOGINS = ['passphrase', 'api-key', 'redirect']

/** @throws {TypeError} that names the option */
export function checkEmbeddedOptions(
  options: EmbeddedOptions,
  resources: Resources,
  features: AuthFeatures,
): void {
  const { scopes, scopesOf, redirects, clients = [], login, hooks = {} } = options
  const table = createScopeTable(scopes)
  createScopesOfResource(table, resources)
  createAdmission(options, table, undefined)
  if (scopesOf !== undefined && typeof scopesOf !== 'function') {
    throw new TypeError('scopesOf must be a function of the person')
  }
  createRedirectPolicy(redirects)
  features.check()
  createStaticClients(clients, redirects, features.clients)
  const isOwn = login?.kind !== 'redirect' || 'ask' in (login[LOGIN_PARTS] ?? {})
  if (login !== undefined && !(LOGINS.includes(login.kind) && isOwn)) {
    throw new TypeError('login must be the value of a login, such as github({ … }) or passphrase()')
  }
  for (const [name, hook] of Object.entries(hooks)) {
    if (!HOOKS.some((known) => known === name)) throw new TypeError(`There is no hook "${name}"`)
    if (hook !== undefined && typeof hook !== 'function') {
      throw new TypeError(`hooks.${name} must be a function`)
    }
  }
}
