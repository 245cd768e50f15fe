/** Tables with one expected value per session revision. */
import type { Codec } from '../../../src/protocol/codec/codec.ts'
import { createSessionCodec } from '../../../src/protocol/codec/session.ts'
import { findRevision } from '../../../src/protocol/revisions.ts'

export const SESSION_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

type SessionRevision = (typeof SESSION_REVISIONS)[number]

export type ByRevision<T = unknown> = Readonly<Record<SessionRevision, T>>

export function codecOf(version: SessionRevision): Codec {
  const revision = findRevision(version)
  if (revision === undefined) throw new TypeError(`No revision ${version}`)
  return createSessionCodec(revision)
}

/** One case per revision and row: the revision, the name of the row, its value, what is expected. */
export function cases<T, Expected>(
  rows: readonly (readonly [name: string, value: T, expected: ByRevision<Expected>])[],
): [SessionRevision, string, T, Expected][] {
  return rows.flatMap(([name, value, expected]) =>
    SESSION_REVISIONS.map((version): [SessionRevision, string, T, Expected] => [
      version,
      name,
      value,
      expected[version],
    ]),
  )
}
