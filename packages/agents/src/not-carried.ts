/**
 * What an agent of the Agents SDK can do and Edgeway cannot: found when the class is served.
 *
 * Types find it as well, but not in JavaScript, and a getter finds it only when a person calls the tool. So the source
 * of the class is searched, which a member in a comment can mislead.
 */
import { OBJECT_MEMBERS, OVERRIDDEN, USED } from './not-carried-members.ts'

const GUIDE = 'node_modules/edgeway/docs/guides/migrate.md#what-an-agent-does-not-carry'

/** @param instead what to do instead, as a clause */
export function notCarried(subject: string, instead: string): TypeError {
  return new TypeError(`${subject} is not carried: ${instead}. See ${GUIDE}`)
}

type AnyClass = abstract new (...args: never[]) => object

/**
 * Looks for what cannot be carried in the methods of a class and in its source, up to its base. What
 * other files do with an instance is found when they do it, see {@link refuseMembers}.
 *
 * @throws {TypeError} that names the member and the guide
 */
export function checkAgent(agentClass: AnyClass, base: AnyClass): void {
  const classes = classesOf(agentClass, base)
  const isOwn = (name: string) =>
    classes.some((own) => Object.hasOwn(own.prototype, name) || declares(String(own), name))
  for (const own of classes) {
    const source = String(own)
    for (const [name, instead] of Object.entries(OVERRIDDEN)) {
      if (Object.hasOwn(own.prototype, name)) throw notCarried(`${own.name}.${name}()`, instead)
    }
    for (const [name, instead] of Object.entries(USED)) {
      if (uses(source, `this.${name}`) && !isOwn(name))
        throw notCarried(`this.${name} of ${own.name}`, instead)
    }
    for (const [name, instead] of Object.entries(OBJECT_MEMBERS)) {
      if (uses(source, `this.ctx.${name}`))
        throw notCarried(`this.ctx.${name} of ${own.name}`, instead)
    }
  }
}

/** Whether the source of a class, up to its base, keeps state by `setState` or `initialState`. */
export function keepsState(agentClass: AnyClass, base: AnyClass): boolean {
  return classesOf(agentClass, base)
    .map(String)
    .some((source) => uses(source, 'setState') || declares(source, 'initialState'))
}

/** A class and those that it extends, up to the base. */
function classesOf(agentClass: AnyClass, base: AnyClass): readonly AnyClass[] {
  if (agentClass === base) return []
  return [agentClass, ...classesOf(Object.getPrototypeOf(agentClass), base)]
}

/** Defines the inherited members on the base, so that they throw when they are used. */
export function refuseMembers(base: AnyClass): void {
  for (const [name, instead] of Object.entries(USED)) {
    Object.defineProperty(base.prototype, name, {
      get() {
        throw notCarried(`this.${name}`, instead)
      },
      // An agent may have a member of its own with this name.
      set(value: unknown) {
        Object.defineProperty(this, name, { value, writable: true, configurable: true })
      },
    })
  }
}

function uses(source: string, expression: string): boolean {
  return new RegExp(`\\b${expression.replaceAll('.', '\\.')}\\b`).test(source)
}

/**
 * Whether a class has a field of its own: its name follows a brace or a line or a semicolon, or a value is
 * assigned to it.
 */
function declares(source: string, field: string): boolean {
  return new RegExp(`[{};\\n]\\s*${field}\\s*[=;\\n}]|\\bthis\\.${field}\\s*=[^=]`).test(source)
}
