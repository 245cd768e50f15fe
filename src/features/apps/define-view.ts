/**
 * Checks and compiles the user interface of a tool: `_meta` of the tool, and the resource of the view.
 *
 * A policy entry is exactly an origin, because hosts write it into a header, and `URL` accepts `;` and quotes in a
 * host. A view has at most 4 MiB: registration refuses what no known host accepts.
 */
import {
  isViewOrigin,
  MAX_VIEW_BYTES,
  RESOURCE_URI_META,
  UI_META,
  VIEW_ORIGINS,
  VIEW_SCHEME,
  VIEW_TYPE,
} from '../../protocol/apps.ts'
import type { Meta, ResourceContents } from '../../protocol/content.ts'
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
  const settings = settingsOf(subject, ui)
  if (ui.uri === undefined || ui.html === undefined) {
    if (settings !== undefined) {
      throw new TypeError(`${subject}: ${Object.keys(settings)[0]} of ui needs ui.html`)
    }
    return undefined
  }
  const { uri, html, title, description } = ui
  const contents = (text: string): ResourceContents => ({
    uri,
    mimeType: VIEW_TYPE,
    text,
    ...(settings && { _meta: { [UI_META]: settings } }),
  })
  const fixed = typeof html === 'function' ? undefined : checkHtml(subject, html)
  const read = async (ctx: FullContext) =>
    contents(
      fixed ?? checkHtml(subject, await (html as unknown as (ctx: FullContext) => unknown)(ctx)),
    )
  return {
    info: defined({
      uri,
      name,
      title: textOf(subject, 'title', title),
      description: textOf(subject, 'description', description),
      mimeType: VIEW_TYPE,
      _meta: settings && { [UI_META]: settings },
    }),
    isListed: true,
    cache: cacheHints(`${subject}: ui`, ui),
    ...accessOf(config),
    read: (_, ctx) => read(ctx),
  }
}

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

/** `_meta.ui` of the resource and of its contents; undefined where there is nothing to say. */
function settingsOf(subject: string, ui: Options): object | undefined {
  const { csp, permissions, domain, prefersBorder } = ui
  checkNames(subject, 'ui.permissions', permissions, PERMISSIONS)
  if (domain !== undefined && !(typeof domain === 'string' && DOMAIN.test(domain))) {
    throw new TypeError(`${subject}: ui.domain must be a text without spaces`)
  }
  if (prefersBorder !== undefined && typeof prefersBorder !== 'boolean') {
    throw new TypeError(`${subject}: ui.prefersBorder must be true or false`)
  }
  const settings = defined({
    csp: csp === undefined ? undefined : policyOf(subject, csp),
    permissions: permissions && Object.fromEntries(permissions.map((name) => [name, {}])),
    domain,
    prefersBorder,
  })
  return Object.keys(settings).length === 0 ? undefined : settings
}

function policyOf(subject: string, csp: NonNullable<Options['csp']>): object {
  if (!isJsonObject(csp)) throw new TypeError(`${subject}: ui.csp must be an object`)
  return Object.fromEntries(
    Object.entries(csp).map(([name, origins]) => {
      const place = `${subject}: ui.csp.${name}`
      if (!VIEW_ORIGINS.includes(name)) {
        throw new TypeError(`${place} does not exist: use ${VIEW_ORIGINS.join(', ')}`)
      }
      if (!Array.isArray(origins)) throw new TypeError(`${place} must be a list of origins`)
      const wrong = origins.find((origin) => !isViewOrigin(name, origin))
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
