/**
 * The source of a function that takes `ask`, `read` and `toJson`. It returns what the thread needs to run a plug-in:
 * `call`, which calls one of its functions with its argument and its abilities, `resolve` and `reject`, which continue
 * it with the program's reply, and how many replies it is `waiting` for.
 */
export const PLUGIN_START = `(function (ask, read, toJson) {
  const open = new Map()
  const { hasOwn, freeze } = Object
  let last = 0
  const ability = (name) => (argument) =>
    new Promise((resolve, reject) => {
      const id = ++last
      ask(id, name, toJson(argument ?? null))
      open.set(id, [resolve, reject])
    })
  const take = (id) => {
    const functions = open.get(id)
    open.delete(id)
    return functions
  }
  const abilities = {
    request: ability('request'),
    files: freeze({ read: ability('files.read'), list: ability('files.list'), write: ability('files.write') }),
    keyValues: freeze({
      get: (key) => ability('keyValues.get')({ key }),
      set: (key, value) => ability('keyValues.set')({ key, value }),
      delete: (key) => ability('keyValues.delete')({ key }),
    }),
    log: console.log,
  }
  return {
    get waiting() {
      return open.size
    },
    resolve: (id, text) => take(id)[0](read(text)),
    reject: (id, text) => take(id)[1](new Error(text)),
    async call(exported, kind, name, argument) {
      const functions = (await exported)[kind]
      const main = functions != null && hasOwn(functions, name) ? functions[name] : undefined
      if (typeof main !== 'function') throw new Error('run.js exports no function "' + name + '" in "' + kind + '"')
      return kind === 'filters' ? main(...read(argument)) : main({ ...read(argument), ...abilities })
    },
  }
})`
