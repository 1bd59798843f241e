/**
 * What each signal of the operating system does to a service. Callbacks in, listeners on the process out. When a
 * service starts and how it ends is lifecycle.ts.
 *
 * Signals that report a fault of the process itself (SEGV, BUS, ILL, FPE, TRAP, SYS, ABRT) keep their default, because
 * after them no code of ours can be trusted. KILL and STOP cannot be caught, and Node ignores PIPE by itself.
 */

/** What a signal asks for. */
export type SignalAction = 'end' | 'reload' | 'ignore'

export const signalActions: Readonly<Partial<Record<NodeJS.Signals, SignalAction>>> = {
  SIGTERM: 'end',
  SIGINT: 'end',
  SIGQUIT: 'end',
  SIGBREAK: 'end',
  SIGPWR: 'end',
  SIGXCPU: 'end',
  // On Windows the window of the console was closed, and the system ends the process soon after.
  SIGHUP: process.platform === 'win32' ? 'end' : 'reload',
  // Node would open its inspector, a port through which anybody on the machine can run code in the service.
  SIGUSR1: 'ignore',
  SIGUSR2: 'ignore',
  SIGALRM: 'ignore',
  SIGVTALRM: 'ignore',
  SIGPROF: 'ignore',
  SIGIO: 'ignore',
  SIGSTKFLT: 'ignore',
  SIGXFSZ: 'ignore',
}

/** Signals that belong to Node itself once one of its flags is given. */
const flagsOfNode: Readonly<Partial<Record<NodeJS.Signals, RegExp>>> = {
  SIGUSR1: /--inspect|--debug/,
  SIGPROF: /--(?:cpu-)?prof\b|--inspect/,
}

export type SignalHandlers = Readonly<Record<Exclude<SignalAction, 'ignore'>, (signal: NodeJS.Signals) => void>>

/** Installs the listeners. Platforms lack some of the signals; those are passed over. */
export function handleSignals(handlers: SignalHandlers): void {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS']].join(' ')
  for (const [name, action] of Object.entries(signalActions)) {
    const signal = name as NodeJS.Signals
    if (flagsOfNode[signal]?.test(flags) === true) continue
    const listener = action === 'ignore' ? ignore : handlers[action]
    try {
      process.on(signal, listener)
    } catch {
      // Windows knows few of them.
    }
  }
}

function ignore(): void {}
