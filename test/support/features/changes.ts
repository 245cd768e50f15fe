/** `changes()` for tests. The files of a project share one hub, and listeners without a network share one limit. */
import type { ChangeBusOptions } from '../../../durable-objects/hub/change-bus-options.ts'
import { changes } from '../../../src/features/changes/index.ts'

export const changesOf = (hub?: ChangeBusOptions) =>
  changes({ listenersPerSubject: 10_000, ...hub })

export type { ChangeBusOptions }
