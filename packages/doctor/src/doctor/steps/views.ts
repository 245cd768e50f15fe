/** The views of tools, as a host reads them before it shows one. */
import { isViewOrigin, UI_META, VIEW_SCHEME, VIEW_TYPE } from '../../../../../src/protocol/apps.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn, type Members } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { answered, type Detected, detected } from '../detected.ts'
import { entriesOf, type ListObservation } from '../probes/lists.ts'
import { statusOf } from '../probes/reach.ts'
import type { ViewObservation } from '../probes/views.ts'

export function viewFaults(
  views: readonly ViewObservation[],
  resources: ListObservation | undefined,
): Detected[] {
  return views.flatMap((view) => viewFault(view, resources) ?? [])
}

function viewFault(
  { tool, uri, reply }: ViewObservation,
  resources: ListObservation | undefined,
): Detected | undefined {
  const named = `The tool ${quoted(tool)} names ${quoted(uri)}`
  if (reply === undefined || !(uri as string).startsWith(VIEW_SCHEME)) {
    return detected('view-not-readable', `${named}, which does not begin with ${VIEW_SCHEME}`)
  }
  if (reply.kind !== 'result') {
    if (mayBeReadLater(reply)) return undefined
    return answered('view-not-readable', `${named}, and resources/read`, reply)
  }
  const contents = contentsOf(reply.result)
  const html = contents?.text ?? contents?.blob
  if (contents === undefined || typeof html !== 'string' || html === '') {
    return detected('view-not-readable', `${named}, and resources/read returns no text of it`)
  }
  if (contents.mimeType !== VIEW_TYPE) {
    return detected('view-type-wrong', `${named}, which has the type ${quoted(contents.mimeType)}`)
  }
  const listed = entriesOf(resources).find((entry) => isJsonObject(entry) && entry.uri === uri)
  const wrong = policyFault(policyOf(contents) ?? policyOf(listed))
  return wrong === undefined ? undefined : detected('view-policy-invalid', `${named}, and ${wrong}`)
}

/** The server may be slower than the doctor waits, or the view needs a scope of its own. */
function mayBeReadLater(reply: NonNullable<ViewObservation['reply']>): boolean {
  if (reply.kind === 'failed') return reply.reply.failure.kind === 'no-answer'
  return statusOf(reply) === 403
}

function contentsOf(result: unknown): Members | undefined {
  const [first] = listIn(result, 'contents')
  return isJsonObject(first) ? first : undefined
}

/** `_meta.ui.csp`. That of the contents replaces that of the list. */
function policyOf(resource: unknown): unknown {
  const meta = isJsonObject(resource) ? resource._meta : undefined
  const ui = isJsonObject(meta) ? meta[UI_META] : undefined
  return isJsonObject(ui) ? ui.csp : undefined
}

/** What is wrong; undefined for a valid policy and for none. */
function policyFault(csp: unknown): string | undefined {
  if (csp === undefined) return undefined
  if (!isJsonObject(csp)) return `its csp is ${quoted(csp)}`
  for (const [name, origins] of Object.entries(csp)) {
    if (!Array.isArray(origins)) return `csp.${quoted(name)} is ${quoted(origins)}`
    const wrong = origins.find((origin) => !isViewOrigin(name, origin))
    if (wrong !== undefined || origins.includes(undefined)) {
      return `csp.${quoted(name)} has ${quoted(wrong)}`
    }
  }
  return undefined
}
