/** `ctx.client`: what a handler may know of its client, with the asks that the client can answer. */
import { showsViews } from '../protocol/apps.ts'
import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Codec } from '../protocol/codec/codec.ts'
import type { Askable, ClientContext } from '../server/context.ts'
import type { Call } from './call.ts'
import { showsForms } from './journal/elicitation.ts'
import { declares } from './journal/question.ts'

const CAN_ASK: Readonly<Record<Askable, (capabilities: ClientCapabilities) => boolean>> = {
  elicit: showsForms,
  'elicit-url': declares('elicitation', 'url'),
  sample: declares('sampling'),
  'sample-tools': declares('sampling', 'tools'),
  roots: declares('roots'),
}

export function clientContext({ client, run }: Call, { revision }: Codec): ClientContext {
  const { info, capabilities, era } = client
  const can = (kind: Askable) => run.canAsk && CAN_ASK[kind](capabilities)
  return {
    info,
    capabilities,
    protocolVersion: revision.id,
    era,
    can,
    showsViews: showsViews(capabilities),
  }
}
