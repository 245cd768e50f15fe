/** Allow-lists: which people are on them, and which entries are refused. */
import { describe, expect, it } from 'vitest'
import { type AllowList, createAllowList } from '../../../src/auth/people/allow-list.ts'
import {
  knownPerson,
  type PersonAttributes,
  readAttributes,
} from '../../../src/auth/people/attributes.ts'

const allows = (list: AllowList, attributes: PersonAttributes, subject = 'ada') =>
  createAllowList(list)(knownPerson(subject, attributes))

describe('an allow-list of e-mail domains', () => {
  it.each([
    ['the domain', 'ann@acme.com'],
    ['the domain in capitals', 'Ann@ACME.COM'],
    ['the dot of the root', 'ann@acme.com.'],
    ['a plus in the local part', 'ann+notes@acme.com'],
  ])('allows an address with %s', (_, email) => {
    expect(allows({ emailDomains: ['acme.com'] }, { emails: [email] })).toBe(true)
  })

  it.each([
    ['the domain as a prefix of another', 'ann@acme.com.evil.com'],
    ['the domain as a suffix of another', 'ann@notacme.com'],
    ['a subdomain', 'ann@mail.acme.com'],
    ['the domain in the local part', 'ann@acme.com@evil.com'],
    ['a quoted local part', '"ann@evil.com"@acme.com'],
    ['a second address in front', 'eve@evil.com,ann@acme.com'],
    ['a name and angle brackets', 'Ann <ann@acme.com>'],
    ['white space', 'ann@acme.com '],
    ['a line break', 'ann@acme.com\nx@evil.com'],
    ['a null character', 'ann@acme.com\u0000'],
    ['a Cyrillic letter', 'ann@\u0430cme.com'],
    ['the Kelvin sign, whose lower case is ASCII', 'ann@bac\u212a.com'],
    ['letters of full width, which IDNA maps to ASCII', 'ann@\uff41cme.com'],
    ['an ideographic full stop, which IDNA maps to a dot', 'ann@acme\u3002com'],
    ['a soft hyphen, which IDNA drops', 'ann@ac\u00adme.com'],
    ['a percent escape', 'ann@%61cme.com'],
    ['a path', 'ann@acme.com/evil'],
    ['two dots at the end', 'ann@acme.com..'],
    ['no local part', '@acme.com'],
    ['no at sign', 'acme.com'],
    ['more than 254 characters', `${'a'.repeat(254)}@acme.com`],
  ])('refuses an address with %s', (_, email) => {
    const list = { emailDomains: ['acme.com', 'back.com'] }
    expect(allows(list, { emails: [email] })).toBe(false)
  })

  it('compares domains of other scripts by their A-labels', () => {
    const list = { emailDomains: ['m\u00fcnchen.example'] }
    expect(allows(list, { emails: ['ann@xn--mnchen-3ya.example'] })).toBe(true)
    expect(allows(list, { emails: ['ann@M\u00dcNCHEN.example'] })).toBe(true)
    expect(allows(list, { emails: ['ann@munchen.example'] })).toBe(false)
  })
})

describe('an allow-list', () => {
  it.each<[string, AllowList, PersonAttributes]>([
    ['an address', { emails: ['Ann@Acme.com'] }, { emails: ['x@y.example', 'ann@acme.com'] }],
    ['a group', { groups: ['admins'] }, { groups: ['staff', 'admins'] }],
    ['an organization', { organizations: ['Acme'] }, { organizations: [{ name: 'ACME', id: 1 }] }],
    ['the number of one', { organizations: [9] }, { organizations: [{ name: 'renamed', id: 9 }] }],
    ['a number as id', { ids: [583231] }, { id: 583231 }],
    ['a text as id', { ids: ['583231'] }, { id: 583231 }],
    ['the subject without another id', { ids: ['ada'] }, {}],
    ['one of several lists', { ids: [1], groups: ['admins'] }, { groups: ['admins'] }],
  ])('allows a person by %s', (_, list, attributes) => {
    expect(allows(list, attributes)).toBe(true)
  })

  it.each<[string, AllowList, PersonAttributes]>([
    ['another address of the domain', { emails: ['ann@acme.com'] }, { emails: ['bob@acme.com'] }],
    ['a group that contains the name', { groups: ['admins'] }, { groups: ['superadmins'] }],
    ['a group in another case', { groups: ['admins'] }, { groups: ['Admins'] }],
    ['an organization named like a number', { organizations: [9] }, orgs('9')],
    ['an organization with a number like a name', { organizations: ['9'] }, orgs('acme', 9)],
    ['the Kelvin sign in an organization', { organizations: ['kde'] }, orgs('\u212ade')],
    ['the subject where the id is another one', { ids: ['ada'] }, { id: 7 }],
    ['no attributes', { emailDomains: ['acme.com'], groups: ['g'], organizations: [1] }, {}],
  ])('refuses a person by %s', (_, list, attributes) => {
    expect(allows(list, attributes)).toBe(false)
  })

  it.each<[string, unknown, string]>([
    ['without lists', {}, 'at least one list'],
    ['with lists that are undefined', { emails: undefined }, 'at least one list'],
    ['with an empty list', { emails: [] }, 'at least one entry'],
    ['with a text in place of a list', { groups: 'admins' }, 'must be a list'],
    ['with an unknown list', { domains: ['acme.com'] }, 'no list "domains"'],
    ['with an at sign in a domain', { emailDomains: ['@acme.com'] }, 'such as acme.com'],
    ['with a wildcard', { emailDomains: ['*.acme.com'] }, 'such as acme.com'],
    ['with a top-level domain', { emailDomains: ['com'] }, 'such as acme.com'],
    ['with a domain in place of an address', { emails: ['acme.com'] }, 'such as ann@acme.com'],
    ['with an empty entry', { ids: [''] }, 'has the entry ""'],
    ['with a missing variable', { emails: [undefined] }, 'has the entry'],
    ['with a number as group', { groups: [1] }, 'has the entry 1'],
  ])('is refused %s', (_, list, message) => {
    expect(() => createAllowList(list as AllowList)).toThrow(message)
  })
})

describe('the attributes of a person', () => {
  it.each<[string, unknown]>([
    ['one text in place of the list of groups', { groups: 'admins' }],
    ['a list with an object in place of a group', { groups: [{ name: 'admins' }] }],
    ['one address in place of a list', { emails: 'ann@acme.com' }],
    ['an organization without a name', { organizations: [{ id: 1 }] }],
    ['texts in place of organizations', { organizations: ['acme'] }],
    ['an organization with a text as id', { organizations: [{ name: 'acme', id: '1' }] }],
    ['a fraction as id', { id: 1.5 }],
  ])('are refused with %s', (_, attributes) => {
    expect(() => readAttributes(attributes as PersonAttributes)).toThrow(TypeError)
  })

  it('are bounded in number and length', () => {
    const groups = ['x'.repeat(256), ...Array.from({ length: 400 }, (_, index) => `g${index}`)]
    expect(readAttributes({ groups })?.groups).toEqual(
      Array.from({ length: 300 }, (_, index) => `g${index}`),
    )
  })
})

function orgs(name: string, id?: number): PersonAttributes {
  return { organizations: [{ name, id }] }
}
