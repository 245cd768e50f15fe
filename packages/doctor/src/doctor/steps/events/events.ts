/** Step: the client finds the event types and receives events. What a client does not use, does not concern it. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { quoted } from '../../../../../text/src/quoted.ts'
import { type Detected, detected, type Step } from '../../detected.ts'
import type { DeclaredEvents } from '../../probes/events/events.ts'
import { listFaults } from './list.ts'
import { pollFaults } from './poll.ts'
import { pushFaults } from './push.ts'
import { refusalFaults } from './refusals.ts'
import { webhookFaults } from './webhook.ts'

export const events: Step = {
  title: 'subscribes to events',
  check: ({ events: seen }) => {
    if (seen === undefined) return []
    const { declared, list, poll, push, webhook } = seen
    return [
      ...declared.flatMap(declarationFaults),
      ...listFaults(list),
      ...pollFaults(poll),
      ...pushFaults(push),
      ...webhookFaults(webhook),
      ...refusalFaults(seen),
    ]
  },
}

function declarationFaults({ by, key, extension }: DeclaredEvents): Detected[] {
  const answer = `The capabilities of ${by}`
  if (key === undefined && extension === undefined) {
    const text = `${answer} have no events, and those of another answer have them`
    return [detected('events-capability-invalid', text)]
  }
  const wrong = [key, extension].find((value) => value !== undefined && !isDeclaration(value))
  if (wrong !== undefined) {
    return [detected('events-capability-invalid', `${answer} declare events as ${quoted(wrong)}`)]
  }
  if (key === undefined) {
    return [detected('events-key-missing', `${answer} have the extension and no member events`)]
  }
  return extension === undefined
    ? [detected('events-extension-missing', `${answer} have "events": ${quoted(key)} alone`)]
    : []
}

const isDeclaration = (value: unknown): boolean =>
  isJsonObject(value) && (value.listChanged === undefined || typeof value.listChanged === 'boolean')
