/** Rules of the policy of views: a list of exact origins, and an explanation of frames. */
import {
  isViewOrigin,
  RESOURCE_URI_META,
  UI_META,
  VIEW_ORIGINS,
  VIEW_SCHEME,
} from '../../../../../src/protocol/apps.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { memberAt } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryInput } from '../input.ts'

type Meta = Readonly<Record<string, unknown>>

export const views: Rule = (input) =>
  viewsOf(input).flatMap((view) => {
    const { uri, tool, policy } = view
    const found = (code: Detected['code'], seen: string): Detected => ({ code, tool, seen })
    if (policy === undefined) return found('view-without-policy', `It is ${quoted(uri)}`)
    if (!isJsonObject(policy)) {
      return found('view-domain-invalid', `The policy of ${quoted(uri)} is ${quoted(policy)}`)
    }
    return [
      ...originFaults(uri, policy).map(({ code, seen }) => found(code, seen)),
      ...frameFaults(uri, policy, memberAt(input.listing, 'openai.frameDomains')).map((seen) =>
        found('view-frame-domain', seen),
      ),
    ]
  })

/** Whether the server has views. Undefined where its resources and tools are not known. */
export function hasViews(input: DirectoryInput): boolean | undefined {
  return input.surface === undefined ? undefined : viewsOf(input).length > 0
}

interface View {
  readonly uri: string
  readonly tool: string | undefined
  /** Unchecked. */
  readonly policy: unknown
}

/** The policy in the contents replaces the one in the list. */
function viewsOf({ surface, views: read = [] }: DirectoryInput): readonly View[] {
  const listed = (surface?.resources ?? []).filter(({ uri }) => uri.startsWith(VIEW_SCHEME))
  const tools = surface?.tools ?? []
  const uris = new Set([...listed.map(({ uri }) => uri), ...read.map(({ uri }) => uri)])
  return [...uris].map((uri) => {
    const own = policyIn(read.find((view) => view.uri === uri)?.meta)
    return {
      uri,
      tool: tools.find(({ _meta }) => viewOf(_meta) === uri)?.name,
      policy: own ?? policyIn(listed.find((resource) => resource.uri === uri)?._meta),
    }
  })
}

function viewOf(meta: Meta | undefined): unknown {
  const ui = meta?.[UI_META]
  return (isJsonObject(ui) ? ui.resourceUri : undefined) ?? meta?.[RESOURCE_URI_META]
}

/** The names that hosts read before MCP Apps had a policy. */
const FORMER_META = 'openai/widgetCSP'
const FORMER_NAMES: Readonly<Record<string, string>> = {
  connect_domains: 'connectDomains',
  resource_domains: 'resourceDomains',
  frame_domains: 'frameDomains',
  redirect_domains: 'redirectDomains',
}

function policyIn(meta: unknown): unknown {
  if (!isJsonObject(meta)) return undefined
  const ui = meta[UI_META]
  const policy = isJsonObject(ui) ? ui.csp : undefined
  if (policy !== undefined) return policy
  const former = meta[FORMER_META]
  if (!isJsonObject(former)) return former
  const renamed = Object.entries(former).map(([name, value]) => [FORMER_NAMES[name] ?? name, value])
  return Object.fromEntries(renamed)
}

type OriginFault = {
  readonly code: 'view-domain-wildcard' | 'view-domain-invalid'
  readonly seen: string
}

function originFaults(uri: string, policy: Meta): OriginFault[] {
  return Object.entries(policy)
    .filter(([list]) => VIEW_ORIGINS.includes(list))
    .flatMap(([list, origins]): OriginFault[] => {
      const place = `csp.${list} of ${quoted(uri)}`
      if (!Array.isArray(origins)) {
        return [{ code: 'view-domain-invalid', seen: `${place} is ${quoted(origins)}` }]
      }
      const wild = origins.find((origin) => typeof origin === 'string' && origin.includes('*'))
      if (wild !== undefined) {
        return [{ code: 'view-domain-wildcard', seen: `${place} has ${quoted(wild)}` }]
      }
      const wrong = origins.find(
        (origin) => !isViewOrigin(list, origin) || /^(?:http|ws):/.test(origin),
      )
      return wrong === undefined && !origins.includes(undefined)
        ? []
        : [{ code: 'view-domain-invalid', seen: `${place} has ${quoted(wrong)}` }]
    })
}

function frameFaults(uri: string, { frameDomains }: Meta, explained: unknown): string[] {
  const hostOf = (origin: string) => origin.replace(/^[a-z]+:\/\//i, '').toLowerCase()
  const known = Object.entries(isJsonObject(explained) ? explained : {})
    .filter(([, why]) => typeof why === 'string' && why.trim() !== '')
    .map(([domain]) => hostOf(domain))
  return (Array.isArray(frameDomains) ? frameDomains : [])
    .filter((origin): origin is string => typeof origin === 'string' && !origin.includes('*'))
    .filter((origin) => !known.includes(hostOf(origin)))
    .map((origin) => `csp.frameDomains of ${quoted(uri)} has ${quoted(origin)}`)
    .slice(0, 1)
}
