/**
 * `changes()` for tests. The files of a project share one hub, and listeners without a network share one limit, which is
 * lifted unless a test gives options of its own.
 */
import type { ChangesOptions } from '../../../durable-objects/hub/changes-options.ts'
import { changes } from '../../../src/features/changes/index.ts'

export const changesOf = (hub: ChangesOptions = { listenersPerSubject: 10_000 }) => changes(hub)

export type { ChangesOptions }
