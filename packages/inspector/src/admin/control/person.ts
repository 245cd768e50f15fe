/** What is stored about one person: how it is ended and deleted. `person-index.ts` finds it. */
import type { EndedAccess } from '../../../../../src/ports/accounts.ts'
import type { Services } from '../../../../../src/ports/services.ts'
import type { TaskPosition, Tasks } from '../../../../../src/ports/tasks.ts'
import { type Principal, principalDigests } from '../../../../../src/protocol/principal.ts'
import { sessionListsOf } from './person-index.ts'
import type { PersonData } from './views.ts'

/** Tasks read from the index at a time. */
const PAGE = 50

/** Ends the sessions and subscriptions of a person, and cancels its tasks. */
export async function endRuns(
  services: Services,
  subject: string,
  principals: readonly Principal[],
): Promise<Pick<PersonData, 'sessions' | 'subscriptions' | 'tasks' | 'tasksLeft'>> {
  const ended = services.subscriptions()?.end(await principalDigests(principals), 'access_ended')
  const subscriptions = (await ended) ?? 0
  const sessions = await endSessions(services, principals)
  const tasks = await eachTask(services, subject, async (tasks, name) => {
    await tasks.cancel(name)
    return true
  })
  return { sessions, subscriptions, ...tasks }
}

/**
 * Deletes the data first and the account after it, because the account says where the data are: a deletion
 * that was interrupted finds the rest. What a call that was running has written meanwhile is deleted last.
 */
export async function deletePerson(
  services: Services,
  subject: string,
  principals: readonly Principal[],
  endAccess: () => Promise<EndedAccess>,
): Promise<PersonData> {
  const before = await deleteData(services, subject, principals)
  const ended = await endAccess()
  const after = await deleteData(services, subject, principals)
  return {
    ...ended,
    sessions: before.sessions + after.sessions,
    subscriptions: before.subscriptions + after.subscriptions,
    tasks: before.tasks + after.tasks,
    states: Math.max(before.states, after.states),
    tasksLeft: after.tasksLeft,
  }
}

type Data = Pick<PersonData, 'sessions' | 'subscriptions' | 'tasks' | 'tasksLeft' | 'states'>

async function deleteData(
  services: Services,
  subject: string,
  principals: readonly Principal[],
): Promise<Data> {
  const sessions = await endSessions(services, principals)
  const tasks = await eachTask(services, subject, (tasks, name) => tasks.erase(subject, name))
  const digests = await principalDigests(principals)
  const subscriptions = (await services.subscriptions()?.erase(digests)) ?? 0
  const states = await eraseStates(services, digests)
  return { sessions, subscriptions, ...tasks, states }
}

async function endSessions(services: Services, principals: readonly Principal[]): Promise<number> {
  const keyring = services.keyring()
  const sessions = services.sessions()
  if (keyring === undefined || sessions === undefined) return 0
  let ended = 0
  for (const list of await sessionListsOf(principals)) {
    for (const position of await keyring.listSessions(list)) {
      await sessions.terminate(position)
      await keyring.leaveSession(list, position.name)
      ended += 1
    }
  }
  return ended
}

async function eraseStates(services: Services, digests: readonly string[]): Promise<number> {
  const state = services.state()
  if (state === undefined) return 0
  let erased = 0
  for (const owner of digests) if (await state.erase(owner)) erased += 1
  return erased
}

/** @param work returns false for a task that is left */
async function eachTask(
  services: Services,
  subject: string,
  work: (tasks: Tasks, name: string) => Promise<boolean>,
): Promise<Pick<PersonData, 'tasks' | 'tasksLeft'>> {
  const tasks = services.tasks()
  let [done, left] = [0, 0]
  if (tasks === undefined) return { tasks: done, tasksLeft: left }
  let after: TaskPosition | undefined
  do {
    const page: readonly TaskPosition[] = await tasks.list(subject, undefined, after, PAGE)
    for (const { name } of page) {
      if (await work(tasks, name)) done += 1
      else left += 1
    }
    after = page.length < PAGE ? undefined : page.at(-1)
  } while (after !== undefined)
  return { tasks: done, tasksLeft: left }
}
