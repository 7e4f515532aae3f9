import { testRelaysOf } from './relays/obeys-the-farm.ts';

testRelaysOf('tasmota');
