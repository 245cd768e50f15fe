/** A family of resources under one URI template. */
import type { Complete } from './completion.ts'
import type { ListTemplate } from './resource.ts'
import { type ExpandValues, expandUriTemplate } from './uri-template/expand.ts'
import { parseUriTemplate, type UriTemplate } from './uri-template/parse.ts'

export interface ResourceTemplateOptions<Env> {
  /** Lists the resources that exist under the template. Undefined: they are not listed. */
  readonly list: ListTemplate<Env> | undefined
  /** Suggestions by variable name. */
  readonly complete?: { readonly [variable: string]: Complete<Env> }
}

/**
 * A URI template (RFC 6570) with what is known of the resources under it.
 *
 * @throws {TypeError} when the template is malformed, or its expressions cannot be told apart when
 *   a URI is matched against it
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export class ResourceTemplate<Env = unknown> {
  readonly uriTemplate: UriTemplate
  readonly list: ListTemplate<Env> | undefined
  readonly complete: { readonly [variable: string]: Complete<Env> }

  constructor(uriTemplate: string, options: ResourceTemplateOptions<Env>) {
    this.uriTemplate = parseUriTemplate(uriTemplate)
    this.list = options.list
    this.complete = options.complete ?? {}
    for (const name of Object.keys(this.complete)) {
      if (!this.uriTemplate.variables.includes(name)) {
        throw new TypeError(`Template ${uriTemplate} has no variable "${name}" to complete`)
      }
    }
  }

  /** The URI of one resource under the template. */
  expand(values: ExpandValues): string {
    return expandUriTemplate(this.uriTemplate, values)
  }
}
