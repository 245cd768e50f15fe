/** The one decision about eras: a pure function of a message and the version header. */
import type { Leniency } from '../ports/telemetry.ts'
import type { Message } from '../protocol/json-rpc.ts'
import { claimedVersion } from '../protocol/meta.ts'
import {
  findRevision,
  NEWEST_SESSION,
  type Revision,
  UNDECLARED_SESSION,
} from '../protocol/revisions.ts'

export type Classification =
  | { readonly era: 'modern' }
  | {
      readonly era: 'session'
      readonly revision: Revision
      /** What the client got wrong on the way here, if anything. */
      readonly leniency: Leniency | undefined
    }

/**
 * Says which era a message belongs to. The body comes first: a claim in `_meta` is modern whatever
 * the headers say, and the headers are then checked against it. Without a claim, a header that
 * names a modern revision is taken at its word, except for `initialize`, which exists in no modern
 * revision and which some clients send with the header of their last attempt.
 */
export function classify(message: Message, versionHeader: string | null): Classification {
  const claim = message.kind === 'response' ? undefined : claimedVersion(message.params)
  if (claim !== undefined) return { era: 'modern' }
  if (versionHeader === null) return session(UNDECLARED_SESSION)
  const named = findRevision(versionHeader)
  if (named?.era === 'modern') {
    const isInitialize = message.kind === 'request' && message.method === 'initialize'
    return isInitialize
      ? session(NEWEST_SESSION, 'initialize-with-modern-header')
      : { era: 'modern' }
  }
  if (named !== undefined) return session(named)
  if (!versionHeader.includes(','))
    return session(NEWEST_SESSION, 'protocol-version-header-unknown')
  const repeated = versionHeader
    .split(',')
    .map((part) => findRevision(part.trim()))
    .find((revision) => revision !== undefined && revision.era !== 'modern')
  return session(repeated ?? NEWEST_SESSION, 'protocol-version-header-repeated')
}

function session(revision: Revision, leniency?: Leniency): Classification {
  return { era: 'session', revision, leniency }
}
