/**
 * `asks()`: elicitation, sampling, roots and steps. A handler that asks runs again from the top with its
 * journal, which is sealed between two modern rounds.
 */

import type { Call } from '../../dispatch/call.ts'
import type { RoundExtension } from '../../dispatch/extensions.ts'
import { Suspension } from '../../dispatch/journal/suspension.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { resolveLimits } from '../../platform/limits.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import type { Askable } from '../../server/context.ts'
import { ToolError } from '../../server/tool-error.ts'
import { UrlElicitationRequiredError } from '../../server/url-elicitation-required-error.ts'
import { keyring } from '../keyring/keyring.ts'
import { type AsksOptions, DEFAULT_ASKS_OPTIONS } from './asks-options.ts'
import { createAskMembers } from './context-members.ts'
import { declares } from './journal/ask.ts'
import { showsForms, urlAsk } from './journal/elicitation.ts'
import { resumeJournal, sealState } from './journal/request-state.ts'
import type { Round } from './journal/round.ts'
import { roundOf } from './run-round.ts'
import { opensSecret, secretOf } from './secret-routes.ts'
import { serveWebhook } from './serve-webhook.ts'
import { checkThroughModel, markThroughModel, THROUGH_MODEL } from './through-model.ts'
import { openWebhook, WEBHOOKS_PATH } from './webhook-secrets.ts'

export type Asks = Feature<'asks', object, 'asks'>

/** Brings `ctx.elicit`, `ctx.sample`, `ctx.listRoots`, `ctx.step`, `ctx.sleep`, `ctx.waitFor` and `ctx.webhook`. @throws {TypeError} for an invalid option */
export function asks({ throughModel = false, ...options }: AsksOptions = {}): Asks {
  const limits = resolveLimits('asks', DEFAULT_ASKS_OPTIONS, options)
  checkThroughModel(throughModel)
  const extensions = [THROUGH_MODEL.with(throughModel)]
  return createFeature('asks', (app) => ({ ...createParts(app, limits), extensions }), [keyring()])
}

const CAN_ASK: Readonly<Record<Askable, (capabilities: ClientCapabilities) => boolean>> = {
  elicit: showsForms,
  'elicit-url': declares('elicitation', 'url'),
  sample: declares('sampling'),
  'sample-tools': declares('sampling', 'tools'),
  roots: declares('roots'),
}

const rounds: Omit<RoundExtension, 'answerTimeoutMs'> = {
  resume: resumeJournal,
  seal: sealState,
  mark: markThroughModel,
  convert: async (call, codec, run, error) => {
    if (!(error instanceof UrlElicitationRequiredError)) return error
    const converted = await requireElicitation(call, codec, roundOf(run), error)
    // A further round follows, so what waits for it is not closed.
    if (converted instanceof Suspension) run.interrupt(converted)
    return converted
  },
  canAsk: ({ run, client }: Call, kind) =>
    (kind === 'elicit' && run.throughModel === 'all') ||
    (run.canAsk && CAN_ASK[kind](client.capabilities)),
}

function createParts(app: AppContext, limits: typeof DEFAULT_ASKS_OPTIONS): FeatureParts {
  return {
    announced: { asks: true },
    dispatch: {
      context: createAskMembers(limits.answerTimeoutMs),
      rounds: { ...rounds, ...limits },
      otherMethods: ['notifications/roots/list_changed'],
    },
    routes: () => [
      {
        path: `${WEBHOOKS_PATH}/:secret`,
        recordedAs: WEBHOOKS_PATH,
        isOwn: opensSecret(app, openWebhook),
        handle: (request, env) => {
          const { audience, limits } = app
          return serveWebhook(request, secretOf(request), app.servicesOf(env), audience, limits)
        },
      },
    ],
  }
}

/** `UrlElicitationRequiredError`. Returns the error to throw instead: a suspension, error -32042, or a `ToolError` with the URLs as text. */
async function requireElicitation(
  { client, run }: Call,
  { revision }: Codec,
  round: Round,
  { elicitations, message }: UrlElicitationRequiredError,
): Promise<Error> {
  const questions = elicitations.map((elicitation) => urlAsk(elicitation))
  const supported = questions.every(({ canAnswer }) => canAnswer(client.capabilities))
  if (supported && client.era === 'modern' && run.canAsk) return round.suspendWith(questions)
  if (supported && client.era !== 'modern' && revision.features.richAsks) {
    await run.session?.expectElicitations(elicitations.map(({ elicitationId }) => elicitationId))
    const params = questions.map(({ params }) => params)
    return new ProtocolError(ErrorCode.urlElicitationRequired, message, { elicitations: params })
  }
  const addresses = elicitations.map(({ message, url }) => `${message} ${url}`)
  return new ToolError([message, ...addresses].join('\n'))
}
