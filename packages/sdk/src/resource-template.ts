/** `ResourceTemplate` and `UriTemplate` of the SDK. */
import {
  type ResourceTemplateOptions,
  ResourceTemplate as ServerTemplate,
} from '../../../src/server/resource-template.ts'
import { expandUriTemplate } from '../../../src/server/uri-template/expand.ts'
import { matchUriTemplate } from '../../../src/server/uri-template/match.ts'
import {
  type UriTemplate as ParsedTemplate,
  parseUriTemplate,
} from '../../../src/server/uri-template/parse.ts'
import type { CompleteCallback } from './completable.ts'
import type { HandlerExtra } from './extra.ts'
import type { ListResourcesResult } from './types.ts'

/** The variables of a matched URI, percent-decoded: a list for an exploded one (`{/tag*}`). */
export type Variables = Record<string, string | string[]>

/** Lists the resources of a template, all at once. */
export type ListResourcesCallback = (
  extra: HandlerExtra,
) => ListResourcesResult | Promise<ListResourcesResult>

export type CompleteResourceTemplateCallback = CompleteCallback

/** A URI template (RFC 6570). @throws {TypeError} for one that is malformed or cannot be matched unambiguously */
export class UriTemplate {
  readonly #parsed: ParsedTemplate

  constructor(template: string) {
    this.#parsed = parseUriTemplate(template)
  }

  get variableNames(): string[] {
    return [...this.#parsed.variables]
  }

  toString(): string {
    return this.#parsed.source
  }

  expand(variables: Variables): string {
    return expandUriTemplate(this.#parsed, variables)
  }

  match(uri: string): Variables | null {
    return (matchUriTemplate(this.#parsed, uri) as Variables | undefined) ?? null
  }
}

export interface ResourceTemplateCallbacks {
  list: ListResourcesCallback | undefined
  complete?: { [variable: string]: CompleteResourceTemplateCallback }
}

/** A template with the callbacks that list and complete its resources. */
export class ResourceTemplate {
  readonly uriTemplate: UriTemplate
  readonly #callbacks: ResourceTemplateCallbacks

  constructor(uriTemplate: string | UriTemplate, callbacks: ResourceTemplateCallbacks) {
    this.uriTemplate = typeof uriTemplate === 'string' ? new UriTemplate(uriTemplate) : uriTemplate
    this.#callbacks = callbacks
  }

  get listCallback(): ListResourcesCallback | undefined {
    return this.#callbacks.list
  }

  /**
   * @internal That of the main entry. It is created here, so that an app without templates contains nothing of
   *   them.
   */
  toTemplate(options: ResourceTemplateOptions): ServerTemplate {
    return new ServerTemplate(this.uriTemplate.toString(), options)
  }

  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined {
    return this.#callbacks.complete?.[variable]
  }
}
