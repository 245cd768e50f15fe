/** What a login knows about a person, for allow-lists and for roles. */

/** Each value must have been verified by the login: it decides who may come in. */
export interface PersonAttributes {
  /** The id at the provider, such as the number of a GitHub user. Default: the subject. */
  readonly id?: string | number | undefined
  /** Addresses whose holder the provider has verified. Default: none. */
  readonly emails?: readonly string[] | undefined
  /** As the provider writes them. Teams of GitHub are `organization/team` in lower case. Default: none. */
  readonly groups?: readonly string[] | undefined
  /** Organizations of GitHub, or the Workspace domain of a Google account. Default: none. */
  readonly organizations?: readonly Organization[] | undefined
}

export interface Organization {
  readonly name: string
  /** The number of a GitHub organization, which stays when it is renamed. */
  readonly id?: number | undefined
}

/** A person with all attributes. */
export interface KnownPerson {
  readonly subject: string
  readonly id: string
  readonly emails: readonly string[]
  readonly groups: readonly string[]
  readonly organizations: readonly Organization[]
}

/** The attributes that allow-lists compare and that cost the provider a request or a scope. */
export interface AttributeNeeds {
  readonly emails: boolean
  /** Groups and organizations. */
  readonly memberships: boolean
}

/** In each list. Further values are dropped, so no allow-list matches them. */
const MAX_VALUES = 300
/** In UTF-16 code units. Longer values are dropped. */
const MAX_VALUE_LENGTH = 255

export function knownPerson(
  subject: string,
  { id = subject, emails = [], groups = [], organizations = [] }: PersonAttributes,
): KnownPerson {
  return { subject, id: String(id), emails, groups, organizations }
}

/**
 * The attributes among the members of a value, bounded; undefined when there are none.
 *
 * @throws {TypeError} for members of another form, such as one text in place of a list
 */
export function readAttributes(value: PersonAttributes): PersonAttributes | undefined {
  const { id, emails, groups, organizations } = value
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    throw new TypeError('The id of a person must be a string or an integer')
  }
  const attributes = {
    ...(id !== undefined && { id }),
    ...(emails !== undefined && { emails: textsOf('emails', emails) }),
    ...(groups !== undefined && { groups: textsOf('groups', groups) }),
    ...(organizations !== undefined && { organizations: organizationsOf(organizations) }),
  }
  return Object.keys(attributes).length === 0 ? undefined : attributes
}

function textsOf(name: string, values: readonly string[]): readonly string[] {
  if (!Array.isArray(values) || values.some((value) => typeof value !== 'string')) {
    throw new TypeError(`The ${name} of a person must be a list of strings`)
  }
  return values.filter(({ length }) => length <= MAX_VALUE_LENGTH).slice(0, MAX_VALUES)
}

function organizationsOf(values: readonly Organization[]): readonly Organization[] {
  if (!Array.isArray(values)) throw new TypeError('The organizations of a person must be a list')
  return values
    .map(({ name, id }: Organization) => {
      if (typeof name !== 'string' || (id !== undefined && !Number.isSafeInteger(id))) {
        throw new TypeError('An organization must have a name, and its id must be an integer')
      }
      return id === undefined ? { name } : { name, id }
    })
    .filter(({ name }) => name.length <= MAX_VALUE_LENGTH)
    .slice(0, MAX_VALUES)
}
