/**
 * The kinds of objects, and the only function that names one. All objects of a Worker are of one class: the beginning of
 * its name is the kind of an object, which says what it stores and which methods it has.
 */
import { fingerprint } from '../platform/fnv.ts'

/** Kinds in which handlers of one server run, or that are one server's. Their names have the digest of its audience. */
const SERVER_KINDS = [
  'session',
  'task',
  'log',
  'subscriber',
  'timeline',
  'traffic',
  'connections',
] as const

/** Kinds that all servers of a Worker share. */
const SHARED_KINDS = [
  'hub',
  'state',
  'account',
  'throttle',
  'documents',
  'keyring',
  'principals',
  'redeemed',
  'place',
] as const

export const KINDS = [...SERVER_KINDS, ...SHARED_KINDS] as const

export type Kind = (typeof KINDS)[number]

/** What a name says of its object. */
export interface ObjectName {
  /** Of this version, or of another one. */
  readonly kind: string
  /** The digest of the audience; undefined for a kind that servers share. */
  readonly server: string | undefined
  readonly key: string
}

export function isServerKind(kind: string): boolean {
  return (SERVER_KINDS as readonly string[]).includes(kind)
}

/** Without a colon, which ends the kind: so two kinds never have one name. What is not bounded is a SHA-256 digest in a key. */
const KEY = /^[A-Za-z0-9_-]{0,128}$/

/**
 * The name of an object, of at most 200 bytes: the platform tells a longer one to the Worker alone, and not to the
 * object.
 *
 * @param audience of the server; not in the names of kinds that servers share
 * @throws {TypeError} for a key with other characters, or with more than 128
 */
export function objectName(kind: Kind, key: string, audience: string): string {
  if (!KEY.test(key)) throw new TypeError(`Not the key of a ${kind} object`)
  return isServerKind(kind) ? `${kind}:${audienceDigest(audience)}:${key}` : `${kind}:${key}`
}

/** Undefined for an object without a name, and for a name that is not of this form. */
export function readObjectName(name = ''): ObjectName | undefined {
  const [kind = '', ...rest] = name.split(':')
  const isOfServer = isServerKind(kind)
  if (rest.length !== (isOfServer ? 2 : 1)) return undefined
  return { kind, server: isOfServer ? rest[0] : undefined, key: rest.at(-1) ?? '' }
}

/**
 * 64 bits. Not SHA-256, because the constructor of an object needs it and cannot wait; the authors of the servers of one
 * Worker choose its input, and two servers with one digest are refused.
 */
export function audienceDigest(audience: string): string {
  return fingerprint(audience)
}
