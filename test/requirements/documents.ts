/** Every document of requirements, by the name of its file, in the order of the page. */
import { baseProtocol } from './base-protocol.ts'
import { caching } from './caching.ts'
import { cancellation } from './cancellation.ts'
import { changelog } from './changelog.ts'
import { completion } from './completion.ts'
import { elicitation } from './elicitation.ts'
import { httpSse } from './http-sse.ts'
import { icons } from './icons.ts'
import { jsonSchema } from './json-schema.ts'
import { keyWords } from './key-words.ts'
import { lifecycle } from './lifecycle.ts'
import { logging } from './logging.ts'
import { meta } from './meta.ts'
import { mrtr } from './mrtr.ts'
import { pagination } from './pagination.ts'
import { ping } from './ping.ts'
import { progress } from './progress.ts'
import { prompts } from './prompts.ts'
import { requestHeaders } from './request-headers.ts'
import type { RequirementDocument } from './requirement.ts'
import { resources } from './resources.ts'
import { roots } from './roots.ts'
import { sampling } from './sampling.ts'
import { statelessness } from './statelessness.ts'
import { stdio } from './stdio.ts'
import { streamableHttp } from './streamable-http.ts'
import { subscriptions } from './subscriptions.ts'
import { tools } from './tools.ts'
import { transports } from './transports.ts'
import { versioning } from './versioning.ts'

export const DOCUMENTS: Readonly<Record<string, RequirementDocument>> = {
  'key-words': keyWords,
  'base-protocol': baseProtocol,
  statelessness,
  'json-schema': jsonSchema,
  meta,
  icons,
  lifecycle,
  versioning,
  cancellation,
  progress,
  subscriptions,
  mrtr,
  transports,
  stdio,
  'http-sse': httpSse,
  'streamable-http': streamableHttp,
  'request-headers': requestHeaders,
  ping,
  elicitation,
  roots,
  sampling,
  prompts,
  resources,
  tools,
  caching,
  completion,
  logging,
  pagination,
  changelog,
}
