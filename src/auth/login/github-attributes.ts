/**
 * The verified addresses, organizations and teams of a GitHub user, read with the user's token.
 *
 * @see https://docs.github.com/en/rest/orgs/members#list-organization-memberships-for-the-authenticated-user
 */
import type { Fetch } from '../../platform/bounded-fetch.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { RemoteError } from '../fetch/remote-error.ts'
import type { AttributeNeeds, PersonAttributes } from '../people/attributes.ts'
import { fetchUpstreamJson } from './upstream-fetch.ts'
import type { KnownTokens } from './upstream-tokens.ts'

const API = 'https://api.github.com'
const EMAILS_SCOPE = 'user:email'
const MEMBERSHIPS_SCOPE = 'read:org'

const PAGE_SIZE = 50
/** Further pages are not read. No allow-list matches a membership on them. */
const MAX_PAGES = 6
const MAX_PAGE_BYTES = 512 * 1024

/** The scopes of the upstream token, with those that the lists need. */
export function scopesFor(
  scopes: readonly string[],
  needs: AttributeNeeds | undefined,
): readonly string[] {
  const added = [
    ...(needs?.emails ? [EMAILS_SCOPE] : []),
    ...(needs?.memberships ? [MEMBERSHIPS_SCOPE] : []),
  ]
  return [...new Set([...scopes, ...added])]
}

export function githubHeaders(accessToken: string): Readonly<Record<string, string>> {
  return { accept: 'application/vnd.github+json', authorization: `Bearer ${accessToken}` }
}

/**
 * Reads what the lists need and what the scopes of the token allow.
 *
 * @throws {RemoteError} with a code when GitHub has revoked the token
 */
export async function fetchGitHubAttributes(
  fetch: Fetch,
  { accessToken, scope = '' }: KnownTokens,
  needs: AttributeNeeds | undefined,
): Promise<PersonAttributes> {
  // GitHub separates them by commas.
  const granted = scope.split(/[ ,]+/)
  const list = (path: string) => fetchAll(fetch, `${API}${path}`, accessToken)
  const attributes: { -readonly [Name in keyof PersonAttributes]: PersonAttributes[Name] } = {}
  if (needs?.emails || granted.includes(EMAILS_SCOPE)) {
    const emails = await list('/user/emails?')
    attributes.emails = emails.filter(({ verified }) => verified === true).map(textOf('email'))
  }
  if (needs?.memberships || granted.includes(MEMBERSHIPS_SCOPE)) {
    // An invitation is a membership with the state `pending`.
    const memberships = await list('/user/memberships/orgs?state=active&')
    const teams = await list('/user/teams?')
    attributes.organizations = memberships
      .filter(({ state }) => state === 'active')
      .map(({ organization }) => organizationOf(organization))
    attributes.groups = teams.map((team) => {
      const { name } = organizationOf(team.organization)
      return `${name}/${textOf('slug')(team)}`.toLowerCase()
    })
  }
  return attributes
}

async function fetchAll(
  fetch: Fetch,
  url: string,
  accessToken: string,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { status, value } = await fetchUpstreamJson(
      fetch,
      `${url}per_page=${PAGE_SIZE}&page=${page}`,
      { headers: githubHeaders(accessToken) },
      MAX_PAGE_BYTES,
    )
    if (status === 401) {
      throw new RemoteError('GitHub has revoked the token', { code: 'invalid_grant' })
    }
    if (!Array.isArray(value) || !value.every(isJsonObject)) throw malformed()
    items.push(...value)
    if (value.length < PAGE_SIZE) break
  }
  return items
}

function organizationOf(value: unknown): { readonly name: string; readonly id: number } {
  const organization = isJsonObject(value) ? value : {}
  const { id } = organization
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw malformed()
  return { name: textOf('login')(organization), id }
}

function textOf(name: string): (value: JsonObject) => string {
  return ({ [name]: text }) => {
    if (typeof text === 'string') return text
    throw malformed()
  }
}

function malformed(): RemoteError {
  return new RemoteError('GitHub returned a list of another form')
}
