/** The names of objects: their kinds cannot collide, and the platform tells each name to its object. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  audienceDigest,
  isServerKind,
  KINDS,
  objectName,
  readObjectName,
} from '../../src/ports/object-kinds.ts'

const AUDIENCE = 'https://mcp.example.com/mcp'
const LONGEST = 'k'.repeat(128)

const key = fc.stringMatching(/^[A-Za-z0-9_-]{0,128}$/)
const audience = fc.string({ unit: 'binary', maxLength: 300 })
const kind = fc.constantFrom(...KINDS)

describe('the name of an object', () => {
  it.each([
    ['session', 'one', 'session:c5dcdc8ed9b7252c:one'],
    ['task', 'one', 'task:c5dcdc8ed9b7252c:one'],
    ['log', 'one', 'log:c5dcdc8ed9b7252c:one'],
    ['subscriber', 'one', 'subscriber:c5dcdc8ed9b7252c:one'],
    ['timeline', '', 'timeline:c5dcdc8ed9b7252c:'],
    ['traffic', '', 'traffic:c5dcdc8ed9b7252c:'],
    ['hub', '0', 'hub:0'],
    ['state', 'one', 'state:one'],
    ['account', 'one', 'account:one'],
    ['throttle', '15', 'throttle:15'],
    ['documents', '15', 'documents:15'],
    ['keyring', '', 'keyring:'],
    ['principals', '15', 'principals:15'],
    ['redeemed', '15', 'redeemed:15'],
    ['place', '', 'place:'],
  ] as const)('of the kind %s with the key %j is %s', (each, own, name) => {
    expect(objectName(each, own, AUDIENCE)).toBe(name)
  })

  it.each(KINDS)(
    'of the kind %s has at most 200 bytes for the longest key and any audience',
    (each) => {
      const name = objectName(each, LONGEST, '👩‍💻'.repeat(1000))
      expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(200)
    },
  )

  it.each([
    ['a colon', 'a:b'],
    ['a slash', 'a/b'],
    ['a dot', 'a.b'],
    ['a space', 'a b'],
    ['a line feed at its end', 'a\n'],
    ['a letter of another alphabet', 'é'],
    ['a null character', '\0'],
    ['129 characters', `${LONGEST}k`],
  ])('is refused for a key with %s', (_, own) => {
    for (const each of KINDS) expect(() => objectName(each, own, AUDIENCE)).toThrow(TypeError)
  })

  it('is read back as its kind, its server and its key', () => {
    fc.assert(
      fc.property(kind, key, audience, (each, own, of) => {
        expect(readObjectName(objectName(each, own, of))).toEqual({
          kind: each,
          server: isServerKind(each) ? audienceDigest(of) : undefined,
          key: own,
        })
      }),
    )
  })

  it('is different for another kind, another key, and another audience of a kind of one server', () => {
    fc.assert(
      fc.property(kind, kind, key, key, audience, audience, (k1, k2, one, other, a1, a2) => {
        const isSame = k1 === k2 && one === other && (a1 === a2 || !isServerKind(k1))
        expect(objectName(k1, one, a1) === objectName(k2, other, a2)).toBe(isSame)
      }),
    )
  })
})

describe('a name that no version of Edgeway has made', () => {
  it.each([
    ['is absent', undefined],
    ['is empty', ''],
    ['has no kind', 'one'],
    ['is a kind alone', 'hub'],
    ['is a kind of one server without a server', 'session:one'],
    ['is a shared kind with a server', 'hub:c5dcdc8ed9b7252c:one'],
    ['has one part more', 'session:c5dcdc8ed9b7252c:one:two'],
  ])('is read as none: it %s', (_, name) => {
    expect(readObjectName(name)).toBeUndefined()
  })
})
