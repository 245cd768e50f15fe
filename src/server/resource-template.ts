/** A URI template and the callbacks that list and complete the resources it matches. */
import type { GrantProps } from '../protocol/auth-info.ts'
import { isJsonObject } from '../protocol/json.ts'
import { excerpt } from '../protocol/protocol-error.ts'
import type { Complete } from './completion.ts'
import type { NoMembers } from './context.ts'
import type { ListTemplate } from './resource.ts'
import { type ExpandValues, expandUriTemplate } from './uri-template/expand.ts'
import { matchUriTemplate, type Variables } from './uri-template/match.ts'
import { parseUriTemplate, type UriTemplate } from './uri-template/parse.ts'

export interface ResourceTemplateOptions<Env = unknown, Props = GrantProps, Members = NoMembers> {
  /** Lists the resources that match the template. Undefined: they do not appear in `resources/list`. */
  readonly list: ListTemplate<Env, Props, Members> | undefined
  /** Completions by variable name. */
  readonly complete?: { readonly [variable: string]: Complete<Env, Props, Members> }
}

/** One of them that no literal contains is the value of every variable. */
const LETTERS = 'xabcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/**
 * A resource template: a URI template (RFC 6570, all four levels) with its callbacks.
 *
 * @throws {TypeError} if the template is malformed, if matching a URI against it would be ambiguous, if it does not
 *   match the URIs that it expands to, or if `complete` names a variable that the template does not have
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export class ResourceTemplate<Env = unknown, Props = GrantProps, Members = NoMembers> {
  readonly uriTemplate: UriTemplate
  readonly list: ListTemplate<Env, Props, Members> | undefined
  readonly complete: { readonly [variable: string]: Complete<Env, Props, Members> }

  constructor(uriTemplate: string, options: ResourceTemplateOptions<Env, Props, Members>) {
    this.uriTemplate = parseUriTemplate(uriTemplate)
    if (!isJsonObject(options)) {
      throw new TypeError(`Template ${uriTemplate} needs { list }: list may be undefined`)
    }
    this.#checkExpansion()
    this.list = options.list
    this.complete = options.complete ?? {}
    for (const name of Object.keys(this.complete)) {
      if (!this.uriTemplate.variables.includes(name)) {
        throw new TypeError(`Template ${uriTemplate} has no variable "${name}" to complete`)
      }
    }
  }

  /**
   * Matches the URI that the template expands to. In `{/dirs*}/{name}` the list would end at its own first separator.
   *
   * @throws {TypeError} for other values than those that it was expanded with
   */
  #checkExpansion(): void {
    const { source, parts } = this.uriTemplate
    const letter = [...LETTERS].find((one) => !source.includes(one))
    if (letter === undefined) return
    const entries = parts.flatMap((part) =>
      part.kind === 'literal'
        ? []
        : part.variables.map(({ name, explode }) => [name, explode ? [letter, letter] : letter]),
    )
    const uri = this.expand(Object.fromEntries(entries))
    const found = this.match(uri)
    if (entries.every(([name, value]) => String(found?.[String(name)]) === String(value))) return
    throw new TypeError(
      `URI template "${excerpt(source)}" does not match its own URI ${excerpt(uri)}: a value ends where the next literal first occurs, so use a literal that no value contains, and %XX for characters that are not ASCII`,
    )
  }

  /** @internal Returns the variables of a URI that matches, percent-decoded; undefined for any other. */
  match(uri: string): Variables | undefined {
    return matchUriTemplate(this.uriTemplate, uri)
  }

  /** Expands the template to the URI of one resource. */
  expand(values: ExpandValues): string {
    return expandUriTemplate(this.uriTemplate, values)
  }
}
