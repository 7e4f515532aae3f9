// What the chip prints before the program speaks.

export type ResetReason = 'power' | 'software' | 'panic' | 'watchdog';

const REASONS: Record<ResetReason, string> = {
  power: 'rst:0x1 (POWERON_RESET)',
  software: 'rst:0xc (SW_CPU_RESET)',
  panic: 'rst:0xc (SW_CPU_RESET)',
  watchdog: 'rst:0x10 (RTCWDT_RTC_RESET)',
};

export function bootBanner(reason: ResetReason, into: 'flash' | 'download'): string {
  const mode =
    into === 'flash'
      ? 'boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n'
      : 'boot:0x3 (DOWNLOAD_BOOT(UART0/UART1/SDIO_REI_REO_V2))\r\nwaiting for download\r\n';
  return `ets Jul 29 2019 12:21:46\r\n\r\n${REASONS[reason]},${mode}`;
}

export function bootLog(programAt: number): string {
  return [
    'configsip: 0, SPIWP:0xee',
    'clk_drv:0x00,q_drv:0x00,d_drv:0x00,cs0_drv:0x00,hd_drv:0x00,wp_drv:0x00',
    'mode:DIO, clock div:2',
    'load:0x3fff0030,len:256',
    'entry 0x40080000',
    'I (29) boot: 2nd stage bootloader',
    'I (36) boot: SPI Flash Size : 4MB',
    `I (45) boot: Loaded app from partition at offset 0x${programAt.toString(16)}`,
    '',
  ].join('\r\n');
}
