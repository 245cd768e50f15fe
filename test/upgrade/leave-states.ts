/** Leaves open state of many kinds on one server. */
import type { OpenState, OpenStates } from './open-state.ts'
import type { UpgradeServer } from './upgrade-server.ts'

/** What the clients hold, by kind. */
export type Held = Readonly<Record<string, unknown>>

/** In order: work that a kill must interrupt comes last. */
export async function leaveStates(
  server: UpgradeServer,
  states: OpenStates,
  label: string,
  isWanted: (state: OpenState) => boolean = () => true,
): Promise<Held> {
  const held: Record<string, unknown> = {}
  for (const [index, [name, state]] of Object.entries(states).entries()) {
    if (!isWanted(state)) continue
    try {
      held[name] = await state.leave(server, `${label}-${index}`)
    } catch (error) {
      throw new Error(`Not left open: ${name}\n${server.log()}`, { cause: error })
    }
  }
  return held
}
