/** The state of a view, and who watches it. */

export interface Store<State> {
  readonly state: State
  update(members: Partial<State>): void
  watch(listener: (state: State) => void): () => void
}

export function createStore<State>(initial: State): Store<State> {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    get state() {
      return state
    },
    update(members) {
      state = { ...state, ...members }
      for (const call of listeners) call()
    },
    watch(listener) {
      const call = () => {
        try {
          listener(state)
        } catch (error) {
          // The other listeners are called as well.
          console.error('edgeway/view: a listener failed', error)
        }
      }
      listeners.add(call)
      call()
      return () => void listeners.delete(call)
    },
  }
}
