/** The form that creates a personal access token: its choices, and what the person has chosen. */
import type { NewPersonalToken } from '../../ports/personal-token.ts'
import { displayName } from '../clients/client-name.ts'
import type { TokenFormView } from '../pages/views.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import { resolveResource } from '../server/resource-parameter.ts'
import { describeScopes } from '../server/show-consent.ts'

/** A token that a person wants. */
export interface WantedToken extends Pick<NewPersonalToken, 'name' | 'resource' | 'scopes'> {
  readonly ttlMs: number
}

type Draft = TokenFormView['draft']
type Form = ReadonlyMap<string, string>

/** In UTF-16 code units. */
const MAX_NAME_LENGTH = 60

const DAY_MS = 24 * 60 * 60 * 1000
const LIFETIMES_MS = [7 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS, 90 * DAY_MS]

/** The choices of the form. `draft` is what was sent with the last attempt. */
export function tokenChoices(
  server: AuthorizationServer,
  draft: Draft | undefined,
): Pick<TokenFormView, 'scopes' | 'resources' | 'anyResource' | 'lifetimes' | 'draft'> {
  const { scopes, limits, resources } = server
  const lifetimes = lifetimesUpTo(limits.personalTokenTtlMs)
  return {
    scopes: describeScopes(server, scopes.names),
    resources: resources.single.map(({ resource, ownScope }) => ({
      resource,
      administers: ownScope !== undefined,
    })),
    anyResource: resources.families.length > 0,
    lifetimes: lifetimes.map((ttlMs) => ({ value: String(ttlMs), label: durationText(ttlMs) })),
    draft: draft ?? { name: '', scopes: [], resource: '', lifetime: String(lifetimes.at(-1)) },
  }
}

/** What was sent, as the form shows it again after an error. */
export function readDraft({ scopes }: AuthorizationServer, form: Form): Draft {
  return {
    name: (form.get('name') ?? '').slice(0, MAX_NAME_LENGTH),
    scopes: scopes.names.filter((name) => form.has(`scope ${name}`)),
    resource: form.get('resource') ?? '',
    lifetime: form.get('lifetime') ?? '',
  }
}

/**
 * Reads a sent form.
 *
 * @throws {OAuthError} `invalid_target` for an address that is not served here
 */
export function readWantedToken(
  server: AuthorizationServer,
  form: Form,
): WantedToken | { readonly problem: string } {
  const name = displayName(form.get('name') ?? '')
  if (name === undefined || name.length > MAX_NAME_LENGTH) {
    return { problem: `The name of a token must have 1 to ${MAX_NAME_LENGTH} characters.` }
  }
  const resource = resolveResource(server, form.get('resource'))
  const { scopes } = readDraft(server, form)
  const { names } = server.scopesOf(resource)
  if (scopes.length === 0 && names.length > 0) {
    return { problem: 'Please choose what the token may do.' }
  }
  const other = scopes.find((scope) => !names.includes(scope))
  if (other !== undefined) {
    return {
      problem: `A token for ${resource} can have ${names.join(', ') || 'no scope'}, not ${other}.`,
    }
  }
  const ttlMs = Number(form.get('lifetime'))
  if (!lifetimesUpTo(server.limits.personalTokenTtlMs).includes(ttlMs)) {
    return { problem: 'Please choose when the token expires.' }
  }
  return { name, scopes, ttlMs, resource }
}

function lifetimesUpTo(maximumMs: number): readonly number[] {
  return [...LIFETIMES_MS.filter((ttlMs) => ttlMs < maximumMs), maximumMs]
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [DAY_MS, 'day'],
  [60 * 60 * 1000, 'hour'],
  [60 * 1000, 'minute'],
  [1000, 'second'],
  [1, 'millisecond'],
]

function durationText(ms: number): string {
  const [unitMs, unit] = UNITS.find(([unitMs]) => ms % unitMs === 0) ?? [1, 'millisecond']
  const count = ms / unitMs
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
