/**
 * The catalogue of directory faults: why directories refuse a server, and what to write instead.
 * `edgeway doctor --for` finds them, and docs/reference/directory-faults.md lists them. Codes are stable. The catalogue
 * of what makes clients fail is `packages/faults/src/faults.ts`.
 */
import { CONNECTION } from './catalogue/connection.ts'
import { IDENTITY, PROOF_FAULTS, SERVER_JSON } from './catalogue/identity.ts'
import { EVENTS, LISTING } from './catalogue/listing.ts'
import { TEXTS } from './catalogue/texts.ts'
import { TOOLS } from './catalogue/tools.ts'
import { VIEWS } from './catalogue/views.ts'
import type { DirectoryFault } from './fault.ts'

export const DIRECTORY_FAULT_GROUPS = {
  'URL and authorization': CONNECTION,
  Tools: TOOLS,
  'Texts for the model': TEXTS,
  Views: VIEWS,
  Events: EVENTS,
  'One identity': IDENTITY,
  'server.json': SERVER_JSON,
  'Proofs of domains': PROOF_FAULTS,
  'directory.json': LISTING,
} as const

type Groups = typeof DIRECTORY_FAULT_GROUPS

export type DirectoryCode = { [Title in keyof Groups]: keyof Groups[Title] }[keyof Groups]

export const DIRECTORY_FAULTS: Readonly<Record<DirectoryCode, DirectoryFault>> = Object.assign(
  {},
  ...Object.values(DIRECTORY_FAULT_GROUPS),
)
