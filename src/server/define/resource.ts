/** Checks and compiles the registration of a resource or a resource template. */
import type { ResourceDefinition, TemplateDefinition } from '../definition.ts'
import type { ReadResource, ReadTemplate, ResourceConfig } from '../resource.ts'
import type { ResourceTemplate } from '../resource-template.ts'
import { accessOf, cacheHints, checkConfig, defined } from './checks.ts'

function checkResourceName(name: unknown): void {
  if (typeof name !== 'string' || name === '') {
    throw new TypeError('A resource needs a name that is a non-empty string')
  }
}

/** @throws {TypeError} that names the resource and the fault */
export function defineResource(
  name: string,
  uri: string,
  config: ResourceConfig<never>,
  read: ReadResource<unknown>,
): ResourceDefinition {
  checkResourceName(name)
  const subject = `Resource "${name}"`
  checkConfig(subject, config, read)
  if (!URL.canParse(uri)) throw new TypeError(`${subject}: "${uri}" is not an absolute URI`)
  const { title, description, mimeType, annotations, size, icons, _meta } = config
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) {
    throw new TypeError(`${subject}: size must be an integer of at least 0, in bytes`)
  }
  return {
    info: defined({ uri, name, title, description, mimeType, annotations, size, icons, _meta }),
    cache: cacheHints(subject, config),
    ...accessOf(config),
    isListed: true,
    read,
  }
}

/** @throws {TypeError} that names the template and the fault */
export function defineTemplate(
  name: string,
  template: ResourceTemplate,
  config: ResourceConfig<never>,
  read: ReadTemplate<unknown>,
): TemplateDefinition {
  checkResourceName(name)
  const subject = `Resource template "${name}"`
  checkConfig(subject, config, read)
  const { title, description, mimeType, annotations, icons, _meta } = config
  const uriTemplate = template.uriTemplate.source
  return {
    info: defined({ uriTemplate, name, title, description, mimeType, annotations, icons, _meta }),
    template,
    cache: cacheHints(subject, config),
    ...accessOf(config),
    list: template.list,
    read,
  }
}
