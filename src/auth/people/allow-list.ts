/** Lists of the people who may come in. */
import { asciiLowerCase } from '../../platform/ascii-lower-case.ts'
import type { AttributeNeeds, KnownPerson } from './attributes.ts'
import { normaliseDomain, parseEmail } from './email-address.ts'

/** A person comes in who is on one of the lists. */
export interface AllowList {
  /** Domains of verified addresses, such as `acme.com`. A subdomain is another domain. */
  readonly emailDomains?: readonly string[]
  /** Verified addresses. */
  readonly emails?: readonly string[]
  /**
   * GitHub organizations by name, or by number, which stays when one is renamed. Google Workspace
   * domains.
   */
  readonly organizations?: readonly (string | number)[]
  /** Groups as the provider writes them; GitHub teams as `organization/team`. */
  readonly groups?: readonly string[]
  /** Ids of people at the provider: the number of a GitHub user, `sub` of an OpenID provider. */
  readonly ids?: readonly (string | number)[]
}

const LISTS = ['emailDomains', 'emails', 'organizations', 'groups', 'ids'] as const

/**
 * Returns the check of a person.
 *
 * @throws {TypeError} for an unknown or empty list, and for an entry that can match no one
 */
export function createAllowList(options: AllowList): (person: KnownPerson) => boolean {
  checkLists(options)
  const domains = new Set((options.emailDomains ?? []).map(domainOf))
  const emails = new Set((options.emails ?? []).map(addressOf))
  const organizations = new Set((options.organizations ?? []).map(organizationKey))
  const groups = new Set(options.groups)
  const ids = new Set((options.ids ?? []).map(String))
  return (person) =>
    ids.has(person.id) ||
    person.groups.some((group) => groups.has(group)) ||
    person.organizations.some(
      ({ name, id }) => organizations.has(organizationKey(name)) || organizations.has(id ?? ''),
    ) ||
    person.emails.some((email) => {
      const parsed = parseEmail(email)
      return parsed !== undefined && (domains.has(parsed.domain) || emails.has(parsed.address))
    })
}

/** What a login must find out for these lists. */
export function needsOf({
  emailDomains,
  emails,
  groups,
  organizations,
}: AllowList): AttributeNeeds {
  return {
    emails: (emailDomains ?? emails) !== undefined,
    memberships: (groups ?? organizations) !== undefined,
  }
}

/** An empty list is more likely a missing variable than a list of no one. */
function checkLists(options: AllowList): void {
  const given = Object.entries(options).filter(([, list]) => list !== undefined)
  for (const [name, list] of given) {
    if (!LISTS.some((known) => known === name)) throw new TypeError(`allow has no list "${name}"`)
    if (!Array.isArray(list) || list.length === 0) {
      throw new TypeError(`allow.${name} must be a list with at least one entry`)
    }
    for (const entry of list) checkEntry(name, entry)
  }
  if (given.length === 0) throw new TypeError('allow must have at least one list')
}

function checkEntry(name: string, entry: unknown): void {
  const takesNumbers = name === 'organizations' || name === 'ids'
  const valid =
    (typeof entry === 'string' && entry !== '') || (takesNumbers && Number.isSafeInteger(entry))
  if (!valid) throw new TypeError(`allow.${name} has the entry ${JSON.stringify(entry)}`)
}

function domainOf(entry: string): string {
  const domain = normaliseDomain(entry)
  if (domain?.includes('.')) return domain
  throw new TypeError(`allow.emailDomains: "${entry}" must be a domain such as acme.com`)
}

function addressOf(entry: string): string {
  const parsed = parseEmail(entry)
  if (parsed !== undefined) return parsed.address
  throw new TypeError(`allow.emails: "${entry}" must be an address such as ann@acme.com`)
}

/** Names of organizations have no case. A number is an id, also where a name consists of digits. */
function organizationKey(organization: string | number): string | number {
  return typeof organization === 'number' ? organization : asciiLowerCase(organization)
}
