/**
 * Checks and compiles the user interface of a tool: `_meta` of the tool, and the resource of the view.
 *
 * A policy entry is exactly an origin, because hosts write it into a header, and `URL` accepts `;` and quotes in a
 * host. A view has at most 4 MiB: registration refuses what no known host accepts.
 */
import {
  isViewOrigin,
  MAX_VIEW_BYTES,
  REDIRECT_DOMAINS,
  RESOURCE_URI_META,
  UI_META,
  VIEW_ORIGINS,
  VIEW_SCHEME,
  VIEW_TYPE,
} from '../../protocol/apps.ts'
import type { Meta, ResourceContents } from '../../protocol/content.ts'
import { INVOCATION, WIDGET_DESCRIPTION, WIDGET_POLICY } from '../../protocol/host-keys.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { FullContext } from '../../server/context.ts'
import { accessOf, cacheHints, defined } from '../../server/define/checks.ts'
import type { ResourceDefinition } from '../../server/definition.ts'
import type { AnyToolConfig } from '../../server/tool.ts'
import { MAX_URI_LENGTH } from '../../server/uri-template/match.ts'
import type { ViewOptions } from '../../server/view.ts'

/** The configuration of the tool of a view. */
type Options = ViewOptions<never, never>

const PERMISSIONS: readonly unknown[] = ['camera', 'microphone', 'geolocation', 'clipboardWrite']
const AUDIENCES: readonly unknown[] = ['model', 'app']

/** One word: the host parses the domain. */
const DOMAIN = /^[\x21-\x7e]+$/
const DOCTYPE = /^<!doctype html[\s>]/i

/** @throws {TypeError} that names the tool and the fault */
export function toolMeta(subject: string, ui: Options, _meta: Meta | undefined): Meta | undefined {
  if (_meta !== undefined && (UI_META in _meta || RESOURCE_URI_META in _meta)) {
    throw new TypeError(`${subject}: _meta has "ui" from the option ui: leave it out of _meta`)
  }
  const { uri, html, visibility } = ui
  if (uri !== undefined) checkAddress(subject, uri)
  else if (html !== undefined) throw new TypeError(`${subject}: ui.html needs ui.uri`)
  checkNames(subject, 'ui.visibility', visibility, AUDIENCES)
  if (uri === undefined && visibility === undefined) {
    throw new TypeError(`${subject}: ui needs uri and html, or visibility`)
  }
  if (visibility?.length === 0) {
    throw new TypeError(`${subject}: ui.visibility must name "model", "app" or both`)
  }
  return {
    ...invocationMeta(subject, ui.invocation),
    ..._meta,
    [UI_META]: defined({ resourceUri: uri, visibility: visibility && [...visibility] }),
    ...(uri === undefined ? undefined : { [RESOURCE_URI_META]: uri }),
  }
}

/**
 * The resource of the view, with the scopes and the visibility of its tool; undefined where the tool
 * registers none.
 *
 * @throws {TypeError} that names the tool and the fault
 */
export function defineView(
  name: string,
  ui: Options,
  config: AnyToolConfig,
): ResourceDefinition | undefined {
  const subject = `Tool "${name}"`
  if (ui.uri === undefined || ui.html === undefined) {
    const alone = SETTINGS.find((name) => ui[name] !== undefined)
    if (alone !== undefined) throw new TypeError(`${subject}: ${alone} of ui needs ui.html`)
    return undefined
  }
  const { uri, html, title, description, domain } = ui
  const meta = resourceMeta(subject, ui)
  const fixed = typeof html === 'function' ? undefined : checkHtml(subject, html)
  const read = async (ctx: FullContext): Promise<ResourceContents> => ({
    uri,
    mimeType: VIEW_TYPE,
    text: fixed ?? checkHtml(subject, await call(html, ctx)),
    _meta: typeof domain === 'function' ? meta(await call(domain, ctx)) : meta(domain),
  })
  return {
    info: defined({
      uri,
      name,
      title: textOf(subject, 'title', title),
      description: textOf(subject, 'description', description),
      mimeType: VIEW_TYPE,
      // A function needs the context of a read. The contents replace what the list says.
      _meta: meta(typeof domain === 'function' ? undefined : domain),
    }),
    isListed: true,
    cache: cacheHints(`${subject}: ui`, ui),
    ...accessOf(config),
    read: (_, ctx) => read(ctx),
  }
}

/** The context of a read has every member that the function of the author may use. */
const call = (member: unknown, ctx: FullContext): unknown =>
  (member as (ctx: FullContext) => unknown)(ctx)

function textOf(subject: string, field: string, text: unknown): string | undefined {
  if (text === undefined || typeof text === 'string') return text
  throw new TypeError(`${subject}: ui.${field} must be a string`)
}

export function checkAddress(subject: string, uri: unknown): asserts uri is string {
  const isAddress =
    typeof uri === 'string' &&
    uri.startsWith(VIEW_SCHEME) &&
    uri.length > VIEW_SCHEME.length &&
    URL.canParse(uri) &&
    new URL(uri).href === uri &&
    // Hosts read the address as it is, so that a template is never expanded.
    !/[{}]/.test(uri)
  if (!isAddress) {
    throw new TypeError(
      `${subject}: ui.uri ${JSON.stringify(uri)} must be an address like ui://notes/view`,
    )
  }
  if (uri.length > MAX_URI_LENGTH) {
    throw new TypeError(
      `${subject}: ui.uri has ${uri.length} characters; resources/read accepts ${MAX_URI_LENGTH}`,
    )
  }
}

/** @throws {TypeError} also for what a function has returned */
function checkHtml(subject: string, html: unknown): string {
  if (typeof html !== 'string') {
    throw new TypeError(`${subject}: ui.html must be a text or a function that returns one`)
  }
  if (!DOCTYPE.test(html.trimStart())) {
    throw new TypeError(
      `${subject}: ui.html must be a whole document that begins with <!doctype html>`,
    )
  }
  if (!html.isWellFormed()) throw new TypeError(`${subject}: ui.html has half of a character`)
  const { byteLength } = new TextEncoder().encode(html)
  if (byteLength > MAX_VIEW_BYTES) {
    throw new TypeError(
      `${subject}: ui.html has ${byteLength} bytes; hosts accept ${MAX_VIEW_BYTES}`,
    )
  }
  return html
}

const SETTINGS = ['csp', 'permissions', 'domain', 'prefersBorder'] as const

/** `_meta` of the resource and of its contents, for a domain. Directories want a policy also where it is empty. */
function resourceMeta(subject: string, ui: Options): (domain: unknown) => Meta {
  const { csp = {}, permissions, prefersBorder, description } = ui
  checkNames(subject, 'ui.permissions', permissions, PERMISSIONS)
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean') {
    throw new TypeError(`${subject}: ui.prefersBorder must be true or false`)
  }
  const { [REDIRECT_DOMAINS]: redirects, ...policy } = policyOf(subject, csp)
  return (domain) => {
    if (domain !== undefined && !(typeof domain === 'string' && DOMAIN.test(domain))) {
      throw new TypeError(`${subject}: ui.domain must be a text without spaces`)
    }
    return defined({
      [UI_META]: defined({
        csp: { connectDomains: [], resourceDomains: [], ...policy },
        permissions: permissions && Object.fromEntries(permissions.map((name) => [name, {}])),
        domain,
        prefersBorder,
      }),
      [WIDGET_POLICY]: redirects && { redirect_domains: redirects },
      [WIDGET_DESCRIPTION]: description,
    })
  }
}

function invocationMeta(subject: string, invocation: Options['invocation'] = {}): Meta {
  if (!isJsonObject(invocation)) throw new TypeError(`${subject}: ui.invocation must be an object`)
  const texts = Object.entries(invocation).filter(([, text]) => text !== undefined)
  for (const [name, text] of texts) {
    if (!/^invok(?:ing|ed)$/.test(name) || typeof text !== 'string' || text.length > 64) {
      throw new TypeError(
        `${subject}: ui.invocation has invoking and invoked, texts of at most 64 characters`,
      )
    }
  }
  return Object.fromEntries(texts.map(([name, text]) => [INVOCATION + name, text]))
}

function policyOf(subject: string, csp: object): Readonly<Record<string, readonly string[]>> {
  if (!isJsonObject(csp)) throw new TypeError(`${subject}: ui.csp must be an object`)
  return Object.fromEntries(
    Object.entries(csp).map(([name, origins]) => {
      const place = `${subject}: ui.csp.${name}`
      const isRedirect = name === REDIRECT_DOMAINS
      if (!isRedirect && !VIEW_ORIGINS.includes(name)) {
        const names = [...VIEW_ORIGINS, REDIRECT_DOMAINS].join(', ')
        throw new TypeError(`${place} does not exist: use ${names}`)
      }
      if (!Array.isArray(origins)) throw new TypeError(`${place} must be a list of origins`)
      const list = isRedirect ? 'frameDomains' : name
      const wrong = origins.find((origin) => !isViewOrigin(list, origin))
      if (wrong !== undefined || origins.includes(undefined)) {
        throw new TypeError(
          `${place}: ${JSON.stringify(wrong)} must be an origin like https://api.example.com, without a path or a slash at the end`,
        )
      }
      return [name, [...origins]]
    }),
  )
}

function checkNames(
  subject: string,
  field: string,
  value: unknown,
  names: readonly unknown[],
): void {
  if (value === undefined) return
  if (
    !Array.isArray(value) ||
    // `every` passes over the holes of a list.
    ![...value].every((name) => names.includes(name)) ||
    new Set(value).size < value.length
  ) {
    throw new TypeError(`${subject}: ${field} must be a list of ${names.join(', ')}`)
  }
}
